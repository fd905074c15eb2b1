import type { NameIndex } from '../../access/index.ts';
import { canonicalSchema } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { type BrokenUse, brokenUses, type Callable, reasonOf } from '../../registry/index.ts';
import type { ResolveContext } from './resolve-names.ts';

/** Refuses to run a capability that no longer fits its tools. */
export async function assertNotStale({ db, tools }: ResolveContext, capability: Callable): Promise<void> {
  const { name, stale } = capability;
  if (stale === null) return;
  const broken = await brokenUses(db, capability);
  // The mark holds for the whole scope, but this caller's servers may differ: the capability runs if it fits them.
  if (broken.every((use) => fitsTool(tools, use))) return;
  throw new PmlError('capability_stale', `Capability "${name}" is stale: ${stale}. Nothing was run.`, {
    hint: `cap_whois shows its code; change it with cap_update, or call a tool that exists. It works again by itself when the tool fits again.`,
  });
}

function fitsTool(tools: NameIndex, { callee, before, passed }: BrokenUse): boolean {
  if (!tools.has(callee)) return false;
  const { upstream, listed } = tools.find(callee);
  if (upstream.state !== 'ready') return false;
  return reasonOf(callee, before, canonicalSchema(listed.inputSchema), passed) === null;
}
