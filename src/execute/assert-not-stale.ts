import type { NameIndex } from '../access/index.ts';
import { canonicalSchema } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import type { JsonSchema } from '../json.ts';
import { type Callable, fitsTools } from '../registry/index.ts';
import type { Reach } from './resolve-names.ts';

/** Refuses a capability that no longer fits its tools, before anything of it runs. */
export async function assertNotStale({ db, tools }: Reach, capability: Callable): Promise<void> {
  const { name, stale } = capability;
  if (stale === null) return;
  // The mark is the scope's; this caller's own servers may be others, and what fits them runs.
  if (await fitsTools(db, capability, (tool) => schemaOf(tools, tool))) return;
  throw new PmlError('capability_stale', `Capability "${name}" is stale: ${stale}. Nothing was run.`, {
    hint: `cap_whois shows its code; change it with cap_update, or call a tool that exists. It works again by itself when the tool fits again.`,
  });
}

function schemaOf(tools: NameIndex, tool: string): JsonSchema | undefined {
  if (!tools.has(tool)) return undefined;
  const { upstream, listed } = tools.find(tool);
  return upstream.state === 'ready' ? canonicalSchema(listed.inputSchema) : undefined;
}
