import type { NameIndex } from '../access/index.ts';
import { canonicalSchema } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import { type BrokenUse, brokenUses, type Callable, reasonOf } from '../registry/index.ts';
import type { Reach } from './resolve-names.ts';

/** Refuses a capability that no longer fits its tools, before anything of it runs. */
export async function assertNotStale({ db, tools }: Reach, capability: Callable): Promise<void> {
  const { name, stale } = capability;
  if (stale === null) return;
  const broken = await brokenUses(db, capability);
  // The mark is the scope's; this caller's own servers may be others, and what fits here runs.
  if (broken.every((use) => fitsHere(tools, use))) return;
  throw new PmlError('capability_stale', `Capability "${name}" is stale: ${stale}. Nothing was run.`, {
    hint: `cap_whois shows its code; change it with cap_update, or call a tool that exists. It works again by itself when the tool fits again.`,
  });
}

function fitsHere(tools: NameIndex, { callee, before, passed }: BrokenUse): boolean {
  if (!tools.has(callee)) return false;
  const { upstream, listed } = tools.find(callee);
  if (upstream.state !== 'ready') return false;
  return reasonOf(callee, before, canonicalSchema(listed.inputSchema), passed) === null;
}
