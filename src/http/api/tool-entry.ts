import type { DirectoryEntry } from '../../access/index.ts';
import { PmlError } from '../../errors.ts';
import { sinceWhen } from '../../registry/usage/index.ts';
import type { SpanFigures } from '../../runs/index.ts';
import type { View } from './view.ts';

export type ToolEntry = DirectoryEntry;

/** The span of the figures of tools and servers. */
const SPAN = '30d';

/** `server:tool`. */
export function nameOf({ upstream, own }: ToolEntry): string {
  return `${upstream.name}:${own}`;
}

/** Finds a tool by the names of its server and its own. */
export function entryOf({ client }: View, { server, tool }: { server: string; tool: string }): ToolEntry {
  const entry = client.directory.tools.entries.find(
    ({ upstream, own }) => upstream.name === server && own === tool,
  );
  if (!entry) throw new PmlError('tool_not_found', `There is no tool "${server}:${tool}".`);
  return entry;
}

/** Reads the calls of the last 30 days, up to this moment. */
export async function usageSince({ gateway, who, dashboard }: View): Promise<SpanFigures> {
  await gateway.resources.journal.flush();
  return dashboard.figures.since(who, sinceWhen(SPAN));
}
