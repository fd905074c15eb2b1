import type { ToolContext } from './define-tool.ts';

/** The server names under which the journal records PML's own calls. */
const OWN = /^pml(-|$)/;

/** Marks the servers that this config does not have: another folder's, or former ones. Their records are `mcp:<server>`. */
export function markUnconfigured<T extends { name: string }>(
  listed: readonly T[],
  { servers }: Pick<ToolContext['config'], 'servers'>,
): (T & { configured?: false })[] {
  const here = new Set(servers.map(({ name }) => name));
  const isHere = (name: string) => OWN.test(name) || here.has(name);
  return listed.map((one) =>
    isHere(one.name.replace(/^mcp:/, '')) ? one : { ...one, configured: false as const },
  );
}
