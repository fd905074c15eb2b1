import { type BrowsedCapability, browse, browseOnly, countBrowsed } from '../../../registry/browse/index.ts';
import { defineRoute } from '../route.ts';
import {
  CapabilityCount,
  CapabilityFilter,
  type CapabilityItem,
  CapabilityPage,
  CapabilityQuery,
} from '../schemas/capabilities.ts';
import type { View } from '../view.ts';

export const listCapabilitiesRoute = defineRoute({
  method: 'get',
  path: '/capabilities',
  summary: 'All capabilities, filtered and sorted, or ranked by intent',
  query: CapabilityQuery,
  answer: CapabilityPage,
  run: async ({ query }, view) => {
    const { gateway, who, dashboard } = view;
    const { db, journal } = gateway.resources;
    const isFirst = query.cursor === undefined;
    // The page also works without the event stream.
    const as_of = isFirst
      ? await dashboard.streams.lastEvent(gateway, who).catch(() => undefined)
      : undefined;
    await journal.flush();
    if (query.q?.trim()) return search(query.q, query, view);
    const page = await browse(db, who, query, query, gateway.workspace.config.lifecycle);
    return { ...page, items: page.items.map(itemOf), ...(as_of !== undefined && { as_of }) };
  },
});

export const countCapabilitiesRoute = defineRoute({
  method: 'get',
  path: '/capabilities/count',
  summary: 'How many capabilities fit a filter, where the first page does not hold them all',
  query: CapabilityFilter,
  answer: CapabilityCount,
  run: async ({ query }, { gateway, who }) => ({
    total: await countBrowsed(gateway.resources.db, who, query, gateway.workspace.config.lifecycle),
  }),
});

/** How many capabilities a search ranks: nobody reads further. */
const MAX_RANKED = 500;

async function search(intent: string, query: CapabilityQuery, { gateway, who, client }: View) {
  const { db } = gateway.resources;
  const { search: index, config } = gateway.workspace;
  const { found, isPartial } = await index.search(
    { who, tools: client.directory.tools },
    { intents: [intent], limit: MAX_RANKED, kind: 'capability' },
  );
  const fqdns = found.flatMap((one) => (one.kind === 'capability' ? [one.capability.fqdn] : []));
  const all = await browseOnly(db, who, [...new Set(fqdns)], query, config.lifecycle);
  const from = query.cursor === undefined ? 0 : Math.max(0, Number.parseInt(query.cursor, 10) || 0);
  const end = from + query.limit;
  return {
    items: all.slice(from, end).map(itemOf),
    next: end < all.length ? String(end) : null,
    total: all.length,
    ...(isPartial && { message: 'Not all capabilities are indexed yet: search again in a few seconds.' }),
  };
}

export function itemOf({ fqdn, ...item }: BrowsedCapability): CapabilityItem {
  return item;
}
