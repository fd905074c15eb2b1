import { isReadOnlyTool } from '../../code/index.ts';
import { isFqdn } from '../../registry/index.ts';
import { canonicalName, type ResolvedName } from '../run/resolve-names.ts';

/** Tells for each name in code whether its callee is read-only. `callees` are those that the code names or called. */
export function readOnlyCallees(
  resolved: ReadonlyMap<string, ResolvedName>,
  callees: readonly ResolvedName[],
): ReadonlyMap<string, boolean> {
  const tools = new Map<string, boolean>();
  for (const callee of callees)
    if (callee.kind === 'tool') tools.set(canonicalName(callee), isReadOnlyEntry(callee));
  // A tool that only a nested capability calls is judged by its name; capabilities that it calls count as writing.
  const isReadOnly = (name: string) => tools.get(name) ?? (!isFqdn(name) && isReadOnlyTool({ name }));
  return new Map(
    [...resolved].map(([spelling, callee]) => [
      spelling,
      callee.kind === 'tool'
        ? isReadOnly(canonicalName(callee))
        : callee.capability.toolsUsed.every(isReadOnly),
    ]),
  );
}

function isReadOnlyEntry({ entry: { own, listed } }: Extract<ResolvedName, { kind: 'tool' }>): boolean {
  return isReadOnlyTool({ name: own, annotations: listed.annotations, inputSchema: listed.inputSchema });
}
