import type { DirectoryEntry, NameIndex } from '../../access/index.ts';
import { type McpReference, resolveReferences, splitVersion, suggestNames } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import { type Callable, isFqdn, type NameCache } from '../../registry/index.ts';
import { currentAndFormerNames, retiredHint } from '../../registry/names/index.ts';
import type { Db } from '../../store/index.ts';

/** The tool or capability that a name in code stands for. */
export type ResolvedName =
  | { kind: 'tool'; entry: DirectoryEntry }
  | { kind: 'capability'; capability: Callable };

/** The tools and capabilities that code may call by name. */
export interface ResolveContext {
  db: Db;
  names: NameCache;
  who: Principal;
  tools: NameIndex;
  /** Returns why a tool cannot be found, if that is because its server is not available. */
  whyMissing?: ((name: string) => PmlError | undefined) | undefined;
}

/** How many capability names a misspelt one is compared with. */
const MAX_CANDIDATES = 2000;

/** Finds a tool or capability by name. A tool takes precedence. */
export async function resolveName(
  { names, who, tools }: ResolveContext,
  name: string,
): Promise<ResolvedName | undefined> {
  const entry = tools.lookup(name);
  if (entry) return { kind: 'tool', entry };
  const capability = await names.find(who, name);
  return capability && { kind: 'capability', capability };
}

/** `server:tool`, or the FQDN of a capability. */
export function canonicalName(resolved: ResolvedName): string {
  return resolved.kind === 'tool'
    ? `${resolved.entry.upstream.name}:${resolved.entry.own}`
    : resolved.capability.fqdn;
}

/** Agents know a capability by its name, not by its FQDN. */
export function displayName(resolved: ResolvedName): string {
  return resolved.kind === 'tool' ? canonicalName(resolved) : resolved.capability.name;
}

/** Says what to write instead of a name that does not exist. */
export type HintForUnknown = (name: string, similar: readonly string[]) => Promise<string | undefined>;

/** Resolves every name that the code states. Fails before anything runs if one does not exist. */
export async function resolveStaticNames(
  context: ResolveContext,
  references: readonly McpReference[],
  hintFor: HintForUnknown = async () => undefined,
): Promise<ReadonlyMap<string, ResolvedName>> {
  const resolved = new Map<string, ResolvedName>();
  for (const { name } of references) {
    if (name === undefined || resolved.has(name)) continue;
    const found = await resolveName(context, name);
    if (found) resolved.set(name, found);
  }
  const isOneMissing = references.some(({ name }) => name !== undefined && !resolved.has(name));
  const candidates = isOneMissing ? await candidateNames(context) : [];
  // The lookup above has settled which versions exist; the check below looks names up without their version.
  const withAndWithoutVersion = new Map(
    [...resolved].flatMap(([name, found]) => [name, splitVersion(name).name].map((one) => [one, found])),
  );
  const { problems } = resolveReferences(references, {
    exact: (name) => withAndWithoutVersion.get(name),
    loose: () => [],
    names: () => candidates,
  });
  const [problem] = problems;
  if (problem) {
    const why = context.whyMissing?.(problem.reference.name ?? '');
    if (why) throw why;
    const hint = await hintFor(problem.reference.name ?? '', problem.suggestions);
    throw new PmlError(problem.code, problem.message, hint === undefined ? {} : { hint });
  }
  return resolved;
}

/** The error for a name that was computed at run time and does not exist. */
export async function unknownNameError(context: ResolveContext, name: string): Promise<PmlError> {
  const why = context.whyMissing?.(name);
  if (why) return why;
  const message = `There is no tool or capability "${name}".`;
  const retired = await retiredHint(context.db, context.who, name);
  if (retired !== undefined) return new PmlError('tool_not_found', `${message} ${retired}`);
  const similar = suggestNames(name, await candidateNames(context));
  const hint = similar.length > 0 ? ` Did you mean ${similar.map((one) => `"${one}"`).join(' or ')}?` : '';
  return new PmlError('tool_not_found', `${message}${hint}`);
}

/** Tells whether a name in code is an FQDN, with or without a version, as stored code has them. */
export function isFqdnReference(name: string): boolean {
  return isFqdn(splitVersion(name).name);
}

/** The error of stored code that calls what its caller may not see. It must not reveal the FQDN. */
export function hiddenCapabilityError(): PmlError {
  const message =
    'There is no tool or capability "hidden:capability": it was retired, or you may not see it.';
  return new PmlError('tool_not_found', message);
}

export async function candidateNames({
  db,
  who,
  tools,
}: Pick<ResolveContext, 'db' | 'who' | 'tools'>): Promise<string[]> {
  const toolNames = tools.entries.map(({ upstream, own }) => `${upstream.name}:${own}`);
  return [...toolNames, ...(await currentAndFormerNames(db, who, MAX_CANDIDATES))];
}
