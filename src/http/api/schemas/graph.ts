import { z } from 'zod';
import { Id, Text } from './common.ts';

export const GraphQuery = z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(5000) });
export const GraphNode = z.object({
  id: Id,
  kind: z.enum(['tool', 'capability', 'server']),
  name: Text,
  calls: z.int(),
  state: z.string().optional(),
});
export const GraphEdge = z.object({ from: Id, to: Id, calls: z.int().optional() });
/** Capabilities and what they use; tools also to their server. The most used first, if it is cut. */
export const Graph = z.object({
  nodes: z.array(GraphNode),
  edges: z.array(GraphEdge),
  truncated: z.boolean(),
});
export type Graph = z.infer<typeof Graph>;
