import type { NameIndex } from '../../access/index.ts';
import { canonicalSchema } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import { mayChangeWith } from '../../principal.ts';
import type { Callable } from '../../registry/index.ts';
import { fitsTools } from '../../registry/servers/index.ts';
import type { ResolveContext } from '../run/resolve-names.ts';

/** Refuses to run a capability that no longer fits its tools. */
export async function assertNotStale(
  { db, who, tools }: ResolveContext,
  capability: Callable,
): Promise<void> {
  const { name, stale } = capability;
  if (stale === null) return;
  // The mark holds for the whole scope, but this caller's servers may differ: the capability runs if it fits them.
  if (await fitsTools(db, capability, (tool) => schemaOf(tools, tool))) return;
  const change = mayChangeWith(who, 'cap_update') ? 'change it with cap_update, or ' : '';
  throw new PmlError('capability_stale', `Capability "${name}" is stale: ${stale}. Nothing was run.`, {
    hint: `cap_whois shows its code; ${change}call a tool that exists. It works again by itself when the tool fits again.`,
  });
}

function schemaOf(tools: NameIndex, tool: string): JsonSchema | undefined {
  if (!tools.has(tool)) return undefined;
  const { upstream, listed } = tools.find(tool);
  return upstream.state === 'ready' ? canonicalSchema(listed.inputSchema) : undefined;
}
