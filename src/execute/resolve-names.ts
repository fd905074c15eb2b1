import type { DirectoryEntry, NameIndex } from '../access/index.ts';
import { type McpReference, resolveReferences, splitVersion, suggestNames } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import { type Callable, type NameCache, parseFqdn, someNames } from '../registry/index.ts';
import type { Db } from '../store/index.ts';

/** What a name in code stands for. */
export type Target = { kind: 'tool'; entry: DirectoryEntry } | { kind: 'capability'; capability: Callable };

/** What code may reach, by name. */
export interface Reach {
  db: Db;
  names: NameCache;
  who: Principal;
  tools: NameIndex;
}

const CANDIDATES = 2000;

/** The target of a name; a real tool before a learned one. */
export async function targetOf({ names, who, tools }: Reach, name: string): Promise<Target | undefined> {
  const entry = tools.lookup(name);
  if (entry) return { kind: 'tool', entry };
  const capability = await names.find(who, name);
  return capability && { kind: 'capability', capability };
}

export function canonicalName(target: Target): string {
  return target.kind === 'tool'
    ? `${target.entry.upstream.name}:${target.entry.own}`
    : target.capability.fqdn;
}

/** A capability's identity is not for agents; they know it by its name. */
export function shownName(target: Target): string {
  return target.kind === 'tool' ? canonicalName(target) : target.capability.name;
}

/** The targets of every name that the code states. Fails, before anything runs, if one does not exist. */
export async function resolveStatic(
  reach: Reach,
  references: readonly McpReference[],
): Promise<ReadonlyMap<string, Target>> {
  const targets = new Map<string, Target>();
  for (const { name } of references) {
    if (name === undefined || targets.has(name)) continue;
    const target = await targetOf(reach, name);
    if (target) targets.set(name, target);
  }
  const missing = references.some(({ name }) => name !== undefined && !targets.has(name));
  const names = missing ? await candidates(reach) : [];
  // Whether a version exists has been asked above; here a name is looked at without it.
  const found = new Map(
    [...targets].flatMap(([name, target]) => [name, splitVersion(name).name].map((one) => [one, target])),
  );
  const { problems } = resolveReferences(references, {
    exact: (name) => found.get(name),
    loose: () => [],
    names: () => names,
  });
  const [problem] = problems;
  if (problem) throw new PmlError(problem.code, problem.message);
  return targets;
}

/** The failure of a name that only the run could tell. */
export async function unknownName(reach: Reach, name: string): Promise<PmlError> {
  const near = suggestNames(name, await candidates(reach));
  const hint = near.length > 0 ? ` Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?` : '';
  return new PmlError('tool_not_found', `There is no tool or capability "${name}".${hint}`);
}

/** Stored code names capabilities by their FQDN. */
export function isIdentity(name: string): boolean {
  return parseFqdn(splitVersion(name).name) !== undefined;
}

/** The failure of stored code that calls what its caller may not see: that must not be told by its identity. */
export function notThere(): PmlError {
  const message =
    'There is no tool or capability "hidden:capability": it was retired, or you may not see it.';
  return new PmlError('tool_not_found', message);
}

async function candidates({ db, who, tools }: Reach): Promise<string[]> {
  const toolNames = tools.entries.map(({ upstream, own }) => `${upstream.name}:${own}`);
  return [...toolNames, ...(await someNames(db, who, CANDIDATES))];
}
