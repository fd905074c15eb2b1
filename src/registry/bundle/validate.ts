import { createHash } from 'node:crypto';
import { examineCode, splitVersion } from '../../code/index.ts';
import { messageOf } from '../../errors.ts';
import { hasIssuedSecret } from '../../secrets/index.ts';
import { tagNumbers } from '../lookup/version.ts';
import { parseFqdn } from '../record/fqdn.ts';
import { assertValidName } from '../record/names.ts';
import { refuseCircles } from './dependency-graph.ts';
import type { Carried, CarriedVersion, Content } from './format.ts';
import { invalid } from './read-bundle.ts';

const DAY_MS = 86_400_000;

export function codeOf({ code }: Pick<CarriedVersion, 'code'>): string {
  return code.join('\n');
}

export function hashOfText(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

export function isFqdn(name: string): boolean {
  return parseFqdn(name) !== undefined;
}

/** The capabilities among the names in code, each with the version it pins; sorted. */
export function callsAmong(names: readonly string[]): string[] {
  return names.filter((name) => isFqdn(splitVersion(name).name)).sort();
}

/** The tools that capabilities need now; former versions may have needed others. */
export function toolsNeeded(capabilities: readonly Carried[]): string[] {
  const used = capabilities.flatMap(({ versions }) => versions.at(-1)?.tools_used ?? []);
  return [...new Set(used.filter((name) => !isFqdn(name)))].sort();
}

/** The names in each code of a bundle, by the hash of the code. */
export type NamesInCode = ReadonlyMap<string, readonly string[]>;

export function byFqdnOf({ capabilities }: Pick<Content, 'capabilities'>): ReadonlyMap<string, Carried> {
  return new Map(capabilities.map((carried) => [carried.fqdn, carried]));
}

/** Looks at all that a bundle says of its capabilities; what it says of them must be so. Nothing of it is run. */
export function examine({ capabilities, asked_for, tools_needed }: Content): NamesInCode {
  const byFqdn = byFqdnOf({ capabilities });
  const names = new Map<string, readonly string[]>();
  refuseTwice(
    'capability',
    capabilities.map(({ fqdn }) => fqdn),
  );
  refuseTwice(
    'name',
    capabilities.flatMap(({ name, named }) => (named ? name : [])),
  );
  if (asked_for.some((fqdn) => !byFqdn.has(fqdn)))
    throw invalid('This bundle lacks a capability that it is to bring.');
  for (const carried of capabilities) {
    examineRecord(carried);
    for (const version of carried.versions) names.set(version.code_sha256, examineVersion(carried, version));
  }
  if (tools_needed.join('\n') !== toolsNeeded(capabilities).join('\n'))
    throw invalid('This bundle needs other tools than it says.');
  refuseCircles(byFqdn);
  return names;
}

function refuseTwice(what: string, values: readonly string[]): void {
  const seen = new Set<string>();
  const twice = values.find((value) => seen.size === seen.add(value).size);
  if (twice !== undefined) throw invalid(`This bundle has the ${what} "${twice}" twice.`);
}

function examineRecord({ name, description, intent, tags, versions }: Carried): void {
  assertValidName(name);
  if (versions.some(({ version }, index) => version !== index + 1))
    throw invalid(`The versions of "${name}" are not numbered from 1 on.`);
  const numbers = versions.flatMap(({ version_tag: tag }) => (tag === null ? [] : tagNumbers(tag).join('.')));
  refuseTwice(`version of "${name}"`, numbers);
  if ([description, intent, ...tags].some(hasIssuedSecret)) throw holdsSecret(name);
}

function examineVersion({ name }: Carried, version: CarriedVersion): readonly string[] {
  const at = `"${name}" v${version.version}`;
  const code = codeOf(version);
  if (hashOfText(code) !== version.code_sha256)
    throw invalid(`The code of ${at} is not the code that the bundle claims.`);
  if (new Date(version.made_at).getTime() > Date.now() + DAY_MS)
    throw invalid(`${at} is from a time to come.`);
  if (hasIssuedSecret(version.change_summary)) throw holdsSecret(at);
  let found: ReturnType<typeof examineCode>;
  try {
    found = examineCode(code, version.parameters_schema);
  } catch (error) {
    throw invalid(`The code of ${at} cannot be read: ${messageOf(error)}`);
  }
  const calls = callsAmong(found.names);
  if (calls.join('\n') !== version.calls.join('\n'))
    throw invalid(`The code of ${at} calls other capabilities than the bundle claims.`);
  const used = new Set(version.tools_used);
  if (calls.some((call) => !used.has(splitVersion(call).name)))
    throw invalid(`${at} uses other capabilities than the bundle claims.`);
  if (Object.keys(version.written_for).some((tool) => isFqdn(tool) || !used.has(tool)))
    throw invalid(`${at} was written for other tools than the bundle claims.`);
  const demands = JSON.stringify(version.written_for);
  if (found.holdsSecret || hasIssuedSecret(demands)) throw holdsSecret(at);
  return found.names;
}

function holdsSecret(at: string) {
  return invalid(
    `${at} holds what looks like a secret.`,
    'A secret must be taken from args, and has no place in a bundle.',
  );
}
