import { type CapabilityCalls, listCalls } from '../../../registry/browse/index.ts';
import type { CallFigures } from '../../../runs/index.ts';
import { defineRoute } from '../route.ts';
import { Graph, GraphQuery } from '../schemas/graph.ts';
import { usageSince } from '../tool-entry.ts';

type Node = Graph['nodes'][number];
type Edge = Graph['edges'][number];

export const graphRoute = defineRoute({
  method: 'get',
  path: '/graph',
  summary: 'Capabilities, the tools that they call, and their servers',
  query: GraphQuery,
  answer: Graph,
  // 5,000 nodes take about 2 MB, and a page of them would be no graph.
  maxBytes: 5_000_000,
  run: async ({ query: { limit } }, view) => {
    const { db } = view.gateway.resources;
    const [capabilities, figures] = await Promise.all([listCalls(db, view.who, limit + 1), usageSince(view)]);
    return drawGraph(capabilities, figures.byTool(), limit);
  },
});

/** Adds capabilities, each with what it calls, until the graph is full. */
function drawGraph(
  capabilities: readonly CapabilityCalls[],
  calls: ReadonlyMap<string, CallFigures>,
  limit: number,
): Graph {
  const nodes = new Map<string, Node>();
  const edges: Edge[] = [];
  const ids = new Map(capabilities.map(({ fqdn, id }) => [fqdn, `capability:${id}`]));
  let isFull = false;
  for (const { fqdn, name, usageCount, stale, callees } of capabilities) {
    const id = ids.get(fqdn) as string;
    const tools = callees.filter((callee) => callee.includes(':'));
    const isNew = (key: string) => !nodes.has(key);
    const wanted = [id, ...tools.flatMap((tool) => [`tool:${tool}`, `server:${serverOf(tool)}`])];
    if (nodes.size + new Set(wanted.filter(isNew)).size > limit) {
      isFull = true;
      continue;
    }
    nodes.set(id, { id, kind: 'capability', name, calls: usageCount, ...(stale && { state: 'stale' }) });
    for (const tool of tools) addTool(nodes, edges, tool, calls.get(tool)?.calls ?? 0);
    for (const callee of callees) edges.push({ from: id, to: ids.get(callee) ?? `tool:${callee}` });
  }
  return {
    nodes: [...nodes.values()],
    edges: edges.filter(({ from, to }) => nodes.has(from) && nodes.has(to)),
    truncated: isFull,
  };
}

function addTool(nodes: Map<string, Node>, edges: Edge[], tool: string, calls: number): void {
  const [id, server] = [`tool:${tool}`, serverOf(tool)];
  if (nodes.has(id)) return;
  const known = nodes.get(`server:${server}`);
  nodes.set(id, { id, kind: 'tool', name: tool, calls });
  nodes.set(`server:${server}`, {
    id: `server:${server}`,
    kind: 'server',
    name: server,
    calls: (known?.calls ?? 0) + calls,
  });
  edges.push({ from: id, to: `server:${server}` });
}

function serverOf(tool: string): string {
  return tool.slice(0, tool.indexOf(':'));
}
