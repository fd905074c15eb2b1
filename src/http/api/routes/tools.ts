import { isReadOnlyTool, printSignature } from '../../../code/index.ts';
import { isJsonSchema } from '../../../json.ts';
import { countToolUsers, listToolUsers, type ToolUse } from '../../../registry/browse/index.ts';
import type { CallFigures } from '../../../runs/index.ts';
import { boundContent } from '../bound-content.ts';
import { defineRoute } from '../route.ts';
import { Tool, ToolCallAnswer, ToolCallInput, type ToolItem, ToolPage, ToolQuery } from '../schemas/tools.ts';
import { entryOf, nameOf, type ToolEntry, usageSince } from '../tool-entry.ts';
import type { View } from '../view.ts';

/** The page of capabilities, which filters by tool, shows more. */
const MAX_USERS = 200;
const MAX_SIGNATURE = 4000;

export const listToolsRoute = defineRoute({
  method: 'get',
  path: '/tools',
  summary: 'The tools of all servers',
  query: ToolQuery,
  answer: ToolPage,
  run: async ({ query }, view) => {
    const items = await itemsOf(view, await matching(view, query));
    if (!query.q?.trim() || query.sort !== 'name') items.sort(comparison(query));
    const from = query.cursor === undefined ? 0 : Math.max(0, Number.parseInt(query.cursor, 10) || 0);
    const end = from + query.limit;
    return {
      items: items.slice(from, end),
      next: end < items.length ? String(end) : null,
      total: items.length,
    };
  },
});

export const toolRoute = defineRoute({
  method: 'get',
  path: '/tools/:server/:tool',
  summary: 'One tool: schema, use, and what uses it',
  answer: Tool,
  run: async ({ params }, view) => {
    const entry = entryOf(view, params);
    const { db } = view.gateway.resources;
    const [[item], { users, total }, figures] = await Promise.all([
      itemsOf(view, [entry]),
      listToolUsers(db, view.who, nameOf(entry), MAX_USERS),
      usageSince(view),
    ]);
    const { inputSchema, outputSchema, annotations } = entry.listed;
    return {
      ...(item as ToolItem),
      input_schema: inputSchema,
      ...(outputSchema !== undefined && { output_schema: outputSchema }),
      annotations: annotations ?? {},
      signature: printSignature(nameOf(entry), isJsonSchema(inputSchema) ? inputSchema : {}, {
        limit: MAX_SIGNATURE,
        ...(isJsonSchema(outputSchema) && { returns: outputSchema }),
      }),
      used_by: users,
      used_by_total: total,
      series: figures.series({ server: entry.upstream.name, tool: entry.own }),
    };
  },
});

export const callToolRoute = defineRoute({
  method: 'post',
  path: '/tools/:server/:tool/call',
  summary: 'Calls a tool',
  body: ToolCallInput,
  answer: ToolCallAnswer,
  run: async ({ params, body: { args } }, view) => {
    const entry = entryOf(view, params);
    const since = performance.now();
    const result = await view.client.call(String(entry.listed.name), args, { signal: view.signal });
    const ms = Math.round((performance.now() - since) * 10) / 10;
    return { ok: result.isError !== true, ms, ...boundContent(result) };
  },
});

/** The tools that fit a search, best first, or all of them. */
async function matching(view: View, { q, server }: ToolQuery): Promise<ToolEntry[]> {
  const { tools } = view.client.directory;
  const isWanted = ({ upstream }: ToolEntry) => server === undefined || upstream.name === server;
  if (!q?.trim()) return tools.entries.filter(isWanted);
  const { search } = view.gateway.workspace;
  const { found } = await search.search(
    { who: view.who, tools },
    { intents: [q], limit: tools.entries.length, kind: 'tool' },
  );
  return found.flatMap((one) => (one.kind === 'tool' && isWanted(one.tool) ? [one.tool] : []));
}

async function itemsOf(view: View, entries: readonly ToolEntry[]): Promise<ToolItem[]> {
  const [uses, figures] = await Promise.all([
    countToolUsers(view.gateway.resources.db, view.who),
    usageSince(view),
  ]);
  const byTool = figures.byTool();
  return entries.map((entry) => itemOf(entry, uses.get(nameOf(entry)), byTool.get(nameOf(entry))));
}

function itemOf(entry: ToolEntry, use: ToolUse | undefined, figures: CallFigures | undefined): ToolItem {
  const { listed, upstream, own } = entry;
  const { description, annotations, inputSchema } = listed;
  return {
    name: nameOf(entry),
    listed_name: String(listed.name),
    server: upstream.name,
    tool: own,
    description: typeof description === 'string' ? description : '',
    read_only: isReadOnlyTool({ name: own, annotations, inputSchema }),
    calls: figures?.calls ?? 0,
    success_rate: figures?.success_rate ?? null,
    p50_ms: figures?.p50_ms ?? null,
    p95_ms: figures?.p95_ms ?? null,
    used_by: use?.users ?? 0,
    stale: use?.stale ?? false,
  };
}

const SORT_KEYS: Record<ToolQuery['sort'], (item: ToolItem) => number | string> = {
  name: ({ name }) => name,
  calls: ({ calls }) => calls,
  errors: ({ calls, success_rate }) => calls * (1 - (success_rate ?? 1)),
  p95: ({ p95_ms }) => p95_ms ?? -1,
};

/** Names ascend and figures descend, unless asked otherwise. Ties are sorted by name. */
function comparison({ sort, order = sort === 'name' ? 'asc' : 'desc' }: ToolQuery) {
  const sign = order === 'asc' ? 1 : -1;
  const key = SORT_KEYS[sort];
  return (a: ToolItem, b: ToolItem): number => {
    const [left, right] = [key(a), key(b)];
    if (left !== right) return left < right ? -sign : sign;
    return a.name < b.name ? -1 : 1;
  };
}
