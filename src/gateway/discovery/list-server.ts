import { type DescribedResult, describeFound } from './describe-found.ts';
import { unknownServer } from './discover.ts';
import type { FinderContext } from './finder-context.ts';

export interface ServerTools {
  results: DescribedResult[];
  total: number;
  next_offset?: number;
}

/** Lists the tools of a server by name, one page of them. */
export async function listServer(
  context: FinderContext,
  { server, limit, offset }: { server: string; limit: number; offset: number },
): Promise<ServerTools> {
  const { config, caller } = context;
  if (!config.servers.some(({ name }) => name === server)) throw unknownServer(config, server, caller);
  const missing = caller.whyMissing?.(`${server}:`);
  if (missing) throw missing;
  const tools = caller.tools.entries.filter(({ upstream }) => upstream.name === server);
  const page = tools.slice(offset, offset + limit);
  const found = page.map((tool) => ({ kind: 'tool' as const, id: '', score: 0, intent: 0, tool }));
  const next = offset + page.length;
  const described = await describeFound(context, found);
  return {
    // A list has no intent that could be scored.
    results: described.map(({ score: _, ...rest }) => rest),
    total: tools.length,
    ...(page.length > 0 && next < tools.length && { next_offset: next }),
  };
}
