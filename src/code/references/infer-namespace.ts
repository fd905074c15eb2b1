const FALLBACK = 'util';
const FQDN = /^[^.:]+\.[^.:]+\.([^.:]+)\.[^.:]+\.[0-9a-f]{4,}(?:@.*)?$/;

/** Picks a namespace for unnamed code: that of the tools it uses most, the earliest on a tie. */
export function inferNamespace(tools: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const tool of tools) {
    const namespace = namespaceOf(tool);
    if (namespace !== '') counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  let best = FALLBACK;
  for (const [namespace, count] of counts) if (count > (counts.get(best) ?? 0)) best = namespace;
  return best;
}

/** Returns `fs` for `fs:read` and for `local.default.fs.read.a7f3`, in the characters that a name may have. */
function namespaceOf(tool: string): string {
  const namespace = FQDN.exec(tool)?.[1] ?? (tool.includes(':') ? tool.slice(0, tool.indexOf(':')) : '');
  return /[^_](?:.*[^_])?/.exec(namespace.replace(/[^A-Za-z0-9_-]+/g, '_'))?.[0] ?? '';
}
