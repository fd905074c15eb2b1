import type { NamingStyle } from './nameable.ts';
import { DEFAULT_NAMESPACE, NAMESPACES, SERVER_FILLERS } from './namespace-table.ts';
import { nameWords } from './words.ts';

const MAX_TOOLS = 200;
const MAX_NAMESPACE = 20;
const FQDN = /^[^.:]{1,200}\.[^.:]{1,200}\.([^.:]{1,200})\.[^.:]{1,200}\.[0-9a-f]{4,64}(?:@.{0,64})?$/;
/** Names that begin with these would read like PML's own. */
const RESERVED = new Set(['mcp', 'pml', 'cap']);

const ROWS = NAMESPACES.map(({ namespace, servers }) => ({
  namespace,
  servers: new Set(servers.split(/\s+/)),
}));

/** One tool that a capability uses. */
export interface UsedTool {
  readonly namespace: string;
  readonly server: string;
  readonly tool: string;
}

/** Reads `server:tool`, a name of a capability or an FQDN. */
export function usedTools(toolsUsed: readonly string[]): UsedTool[] {
  return toolsUsed.slice(0, MAX_TOOLS).map((name) => {
    const parts = FQDN.test(name) ? name.split('.') : undefined;
    const colon = name.indexOf(':');
    const server = parts?.[2] ?? (colon > 0 ? name.slice(0, colon) : '');
    return { namespace: namespaceOfServer(server), server, tool: parts?.[3] ?? name.slice(colon + 1) };
  });
}

/** Picks the namespace of the tools used most, the earliest on a tie; one in use before one that would be new. */
export function namespaceFor(tools: readonly UsedTool[], style: NamingStyle): string {
  const [best = DEFAULT_NAMESPACE] = namespacesOf(tools);
  if (style.namespaces.includes(best)) return best;
  // Where names say `filesystem:`, one more that says `fs:` would not be found beside them.
  const own = tools.find(({ namespace }) => namespace === best)?.server ?? '';
  return style.namespaces.includes(own) && isPlain(own) ? own : best;
}

/** Lists all namespaces that a capability's tools would give, that of most tools first, the earliest on a tie. */
export function namespacesOf(tools: readonly UsedTool[]): string[] {
  const counts = new Map<string, number>();
  for (const { namespace } of tools) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  counts.delete('');
  return [...counts].sort(([, a], [, b]) => b - a).map(([namespace]) => namespace);
}

function namespaceOfServer(server: string): string {
  const all = nameWords(server);
  const telling = all.filter((word) => !SERVER_FILLERS.has(word));
  const words = telling.length > 0 ? telling : all;
  const row = ROWS.find(
    ({ servers }) => words.some((word) => servers.has(word)) || servers.has(words.join('')),
  );
  if (row) return row.namespace;
  const own = words.join('_').slice(0, MAX_NAMESPACE).replace(/_$/, '');
  return RESERVED.has(own) ? '' : own;
}

function isPlain(namespace: string): boolean {
  return /^[A-Za-z0-9_-]{1,20}$/.test(namespace) && !RESERVED.has(namespace);
}
