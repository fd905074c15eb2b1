import type { NameIndex } from '../../access/index.ts';
import { printType } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import { isFqdn, type NamedCapability, shownDescription } from '../../registry/index.ts';
import type { Redactor } from '../../secrets/index.ts';
import { plainLine } from '../discovery/suspicious-text.ts';
import { statedHints } from './derive-hints.ts';

/** How many tools are named of each kind. */
const MAX_NAMED = 5;
const MAX_NAME = 80;

/**
 * Describes a capability as a tool: what it does, then the tools it reads and writes with, and what it returns.
 * Usage counts are left out: clients cache the list of tools, so it must not change with each call.
 */
export function describeCapability(
  capability: Pick<NamedCapability, 'description' | 'stale' | 'callees'>,
  returns: JsonSchema | undefined,
  sources: {
    tools: NameIndex;
    nestedCallees: (fqdn: string) => readonly string[] | undefined;
    redactor: Redactor;
  },
): string {
  const facts = [
    ...effectsOf(capability.callees, sources),
    ...(returns ? [`Returns ${sources.redactor.text(printType(returns))}.`] : []),
  ];
  return [shownDescription(capability), facts.join(' ')].filter(Boolean).join('\n');
}

/** Says which tools the capability reads and writes with, by the tools' own hints. */
function effectsOf(
  callees: readonly string[] | null,
  { tools, nestedCallees }: Parameters<typeof describeCapability>[2],
): string[] {
  const called = callees?.map((callee) => (isFqdn(callee) ? nestedCallees(callee) : callee));
  if (!called || called.includes(undefined)) return [];
  const names = [...new Set(called.flat() as string[])].sort();
  const kinds = Map.groupBy(names, (name) => {
    const isReading = statedHints(name, tools)?.readOnlyHint;
    return isReading === undefined ? 'Calls' : isReading ? 'Reads with' : 'Writes with';
  });
  return (['Reads with', 'Writes with', 'Calls'] as const).flatMap((kind) => {
    const all = kinds.get(kind) ?? [];
    const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '';
    const named = all.slice(0, MAX_NAMED).map((name) => plainLine(name, MAX_NAME));
    return all.length > 0 ? [`${kind} ${named.join(', ')}${more}.`] : [];
  });
}
