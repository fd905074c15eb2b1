import { PmlError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import type { CachingPatch } from '../../registry/caching/index.ts';
import { type Callable, isFqdn, namesCallees, nestedCallees, resolve } from '../../registry/index.ts';
import type { ResolveContext } from '../run/resolve-names.ts';

const MOST_NAMED = 5;

/** The callees of code; `namesCallees` is true if it calls nothing else. */
interface Callees {
  toolsUsed: readonly string[];
  namesCallees?: boolean | undefined;
}

/** Fails if a capability must not be cached as the patch says, and nobody forces it. */
export async function assertCacheable(
  context: Omit<ResolveContext, 'names'>,
  name: string,
  { cachePolicy, force }: CachingPatch,
): Promise<void> {
  if (cachePolicy === undefined || cachePolicy === 'none' || force) return;
  const { fqdn, toolsUsed, name: shown } = await resolve(context.db, context.who, name);
  const why = await whyNotCacheable(context, {
    toolsUsed,
    namesCallees: await namesCallees(context.db, fqdn),
  });
  if (why !== undefined) throw notCacheable(shown, why);
}

/** The caching that a copy of a capability inherits; undefined if none. Forced caching holds for the original alone. */
export async function cachingOfCopy(
  context: Omit<ResolveContext, 'names'>,
  { cachePolicy, ttl, cacheForced }: Callable,
  { fqdn, toolsUsed }: Callable,
): Promise<CachingPatch | undefined> {
  if (cachePolicy === 'none' || cacheForced) return undefined;
  const callees = { toolsUsed, namesCallees: await namesCallees(context.db, fqdn) };
  const isCacheable = (await whyNotCacheable(context, callees)) === undefined;
  return isCacheable ? { cachePolicy, ttl: ttl ?? undefined } : undefined;
}

export function notCacheable(name: string, why: string): PmlError {
  return new PmlError('not_allowed', `The results of "${name}" cannot be cached: ${why}.`, {
    hint: 'With force: true they are cached all the same. A call that is answered from the cache calls nothing.',
  });
}

/** Says why results must not be cached: the code calls, or may call, tools that write. Undefined if it does not. */
export async function whyNotCacheable(
  { db, who, tools }: Omit<ResolveContext, 'names'>,
  { toolsUsed, namesCallees: isKnown }: Callees,
): Promise<string | undefined> {
  if (!isKnown) return 'the code computes some of the names that it calls';
  const calleesOf = await nestedCallees(db, who, toolsUsed.filter(isFqdn));
  const called: string[] = [];
  for (const callee of toolsUsed) {
    const nested = isFqdn(callee) ? calleesOf(callee) : [callee];
    if (!nested) return 'a capability that it calls may call anything';
    called.push(...nested);
  }
  const writing = [...new Set(called)].filter((tool) => !isReadOnly(tools, tool));
  if (writing.length === 0) return undefined;
  const more = writing.length > MOST_NAMED ? ` and ${writing.length - MOST_NAMED} more` : '';
  return `it calls tools that are not marked read-only (${writing.slice(0, MOST_NAMED).join(', ')}${more})`;
}

function isReadOnly(tools: ResolveContext['tools'], tool: string): boolean {
  const annotations = tools.has(tool) ? tools.find(tool).listed.annotations : undefined;
  return isJsonObject(annotations) && annotations.readOnlyHint === true;
}
