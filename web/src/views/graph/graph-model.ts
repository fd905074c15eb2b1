import type { Graph, GraphNode } from '../../api/types.ts';
import { to } from '../../router/router.ts';
import type { LayoutInput } from './force-layout.ts';

/** The graph as numbers, for layout and drawing. */
export interface GraphModel {
  nodes: GraphNode[];
  /** Pairs of node numbers, one after the other. */
  edges: Uint32Array;
  neighbours: number[][];
  radii: Float32Array;
  /** The numbers of the nodes, the largest first. */
  bySize: Uint32Array;
}

export function modelOf({ nodes, edges }: Graph): GraphModel {
  const numbers = new Map(nodes.map(({ id }, number) => [id, number]));
  const pairs = edges.flatMap(({ from, to: target }) => {
    const [a, b] = [numbers.get(from), numbers.get(target)];
    return a === undefined || b === undefined ? [] : [a, b];
  });
  const neighbours: number[][] = nodes.map(() => []);
  for (let at = 0; at < pairs.length; at += 2) {
    const [a, b] = [pairs[at] as number, pairs[at + 1] as number];
    neighbours[a]?.push(b);
    neighbours[b]?.push(a);
  }
  const radii = Float32Array.from(nodes, radiusOf);
  const bySize = Uint32Array.from(nodes.keys()).sort((a, b) => (radii[b] as number) - (radii[a] as number));
  return { nodes, edges: Uint32Array.from(pairs), neighbours, radii, bySize };
}

/** Nodes of one server begin together; a capability begins with the server of the first tool that it calls. */
export function layoutInputOf({ nodes, edges, neighbours }: GraphModel): LayoutInput {
  const servers = new Map<string, number>();
  const groupOf = (name: string) => {
    if (!servers.has(name)) servers.set(name, servers.size);
    return servers.get(name) as number;
  };
  const groups = nodes.map((node, number) => {
    if (node.kind !== 'capability') return groupOf(serverOf(node.name));
    const tool = neighbours[number]?.map((other) => nodes[other]).find((other) => other?.kind === 'tool');
    return groupOf(tool ? serverOf(tool.name) : '');
  });
  return { count: nodes.length, edges, groups: Uint32Array.from(groups) };
}

/** Where a node leads. */
export function hrefOf({ kind, id, name }: GraphNode): string {
  if (kind === 'capability') return to('capabilities', id.replace(/^capability:/, ''));
  if (kind === 'server') return to('servers', name);
  return to('tools', serverOf(name), name.slice(serverOf(name).length + 1));
}

function serverOf(name: string): string {
  const at = name.indexOf(':');
  return at === -1 ? name : name.slice(0, at);
}

function radiusOf({ kind, calls }: GraphNode): number {
  const base = kind === 'server' ? 9 : kind === 'capability' ? 5 : 4;
  return base + Math.min(8, Math.log2(1 + calls) * 0.8);
}
