import { createHash } from 'node:crypto';
import { examineCode, splitVersion } from '../../code/index.ts';
import { messageOf } from '../../errors.ts';
import { hasIssuedSecret } from '../../secrets/index.ts';
import { tagNumbers } from '../lookup/version.ts';
import { assertValidName } from '../record/capability-name.ts';
import { isFqdn } from '../record/fqdn.ts';
import type { BundledCapability, BundledVersion, Content } from './bundle-schema.ts';
import { assertAcyclic } from './dependency-graph.ts';
import { invalidBundle } from './read-bundle.ts';

const DAY_MS = 86_400_000;

export function codeOf({ code }: Pick<BundledVersion, 'code'>): string {
  return code.join('\n');
}

export function hashOfText(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** Picks the capabilities from the names in code, each with the version it pins; sorted. */
export function callsAmong(names: readonly string[]): string[] {
  return names.filter((name) => isFqdn(splitVersion(name).name)).sort();
}

/** Lists the tools that the newest versions need. */
export function toolsNeeded(capabilities: readonly BundledCapability[]): string[] {
  const used = capabilities.flatMap(({ versions }) => versions.at(-1)?.tools_used ?? []);
  return [...new Set(used.filter((name) => !isFqdn(name)))].sort();
}

/** The names in each code of a bundle, by the hash of the code. */
export type NamesInCode = ReadonlyMap<string, readonly string[]>;

export function byFqdnOf({
  capabilities,
}: Pick<Content, 'capabilities'>): ReadonlyMap<string, BundledCapability> {
  return new Map(capabilities.map((bundled) => [bundled.fqdn, bundled]));
}

/** Fails unless everything that a bundle states of its capabilities is true. Runs nothing of it. */
export function validateBundle({ capabilities, asked_for, tools_needed }: Content): NamesInCode {
  const byFqdn = byFqdnOf({ capabilities });
  const names = new Map<string, readonly string[]>();
  assertUnique(
    'capability',
    capabilities.map(({ fqdn }) => fqdn),
  );
  assertUnique(
    'name',
    capabilities.flatMap(({ name, named }) => (named ? name : [])),
  );
  if (asked_for.some((fqdn) => !byFqdn.has(fqdn)))
    throw invalidBundle('This bundle lacks a capability that it was exported for.');
  for (const bundled of capabilities) {
    validateRecord(bundled);
    for (const version of bundled.versions) names.set(version.code_sha256, validateVersion(bundled, version));
  }
  if (tools_needed.join('\n') !== toolsNeeded(capabilities).join('\n'))
    throw invalidBundle('This bundle needs other tools than it says.');
  assertAcyclic(byFqdn);
  return names;
}

function assertUnique(what: string, values: readonly string[]): void {
  const seen = new Set<string>();
  const twice = values.find((value) => seen.size === seen.add(value).size);
  if (twice !== undefined) throw invalidBundle(`This bundle has the ${what} "${twice}" twice.`);
}

function validateRecord({ name, description, intent, tags, versions }: BundledCapability): void {
  assertValidName(name);
  if (versions.some(({ version }, index) => version !== index + 1))
    throw invalidBundle(`The versions of "${name}" are not numbered consecutively from 1.`);
  const numbers = versions.flatMap(({ version_tag: tag }) => (tag === null ? [] : tagNumbers(tag).join('.')));
  assertUnique(`version of "${name}"`, numbers);
  if ([description, intent, ...tags].some(hasIssuedSecret)) throw secretFound(name);
}

function validateVersion({ name }: BundledCapability, version: BundledVersion): readonly string[] {
  const at = `"${name}@${version.version}"`;
  const code = codeOf(version);
  if (hashOfText(code) !== version.code_sha256)
    throw invalidBundle(`The code of ${at} is not the code that the bundle claims.`);
  if (new Date(version.made_at).getTime() > Date.now() + DAY_MS)
    throw invalidBundle(`${at} has a date in the future.`);
  if (hasIssuedSecret(version.change_summary)) throw secretFound(at);
  let found: ReturnType<typeof examineCode>;
  try {
    found = examineCode(code, version.parameters_schema);
  } catch (error) {
    throw invalidBundle(`The code of ${at} cannot be read: ${messageOf(error)}`);
  }
  const calls = callsAmong(found.names);
  if (calls.join('\n') !== version.calls.join('\n'))
    throw invalidBundle(`The code of ${at} calls other capabilities than the bundle claims.`);
  const used = new Set(version.tools_used);
  if (calls.some((call) => !used.has(splitVersion(call).name)))
    throw invalidBundle(`${at} uses other capabilities than the bundle claims.`);
  if (Object.keys(version.written_for).some((tool) => isFqdn(tool) || !used.has(tool)))
    throw invalidBundle(`${at} was written for other tools than the bundle claims.`);
  const demands = JSON.stringify(version.written_for);
  if (found.holdsSecret || hasIssuedSecret(demands)) throw secretFound(at);
  return found.names;
}

function secretFound(at: string) {
  return invalidBundle(
    `${at} holds what looks like a secret.`,
    'A secret must be taken from args, and has no place in a bundle.',
  );
}
