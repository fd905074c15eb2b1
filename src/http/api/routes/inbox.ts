import { dismiss, dismissedOf, namingModel, undismiss } from '../../../curation/index.ts';
import { PmlError } from '../../../errors.ts';
import type { JsonObject } from '../../../json.ts';
import { browse, findShown } from '../../../registry/browse/index.ts';
import { restore } from '../../../registry/index.ts';
import { forgetTwins, inboxCounts, readTwins } from '../inbox-counts.ts';
import { defineRoute } from '../route.ts';
import { NoInput } from '../schemas/capabilities.ts';
import {
  AcceptInput,
  Decided,
  InboxCounts,
  type InboxItem,
  InboxKind,
  InboxPage,
  InboxQuery,
  Suggestions,
  UndoInput,
  Undone,
} from '../schemas/inbox.ts';
import type { View } from '../view.ts';

/** Without a kind, this many of each are shown. */
const OF_EACH = 20;

export const inboxRoute = defineRoute({
  method: 'get',
  path: '/inbox',
  summary: 'What there is to decide about capabilities',
  query: InboxQuery,
  answer: InboxPage,
  run: async ({ query: { kind, limit, cursor } }, view) => {
    const model = modelOf(view);
    if (kind !== undefined) {
      const page = await readKind(view, kind, { limit, cursor });
      return { ...page, counts: await inboxCounts(view), ...model };
    }
    const counts = await inboxCounts(view);
    const items: InboxItem[] = [];
    for (const one of InboxKind.options)
      if (counts[one] > 0) items.push(...(await readKind(view, one, { limit: OF_EACH })).items);
    return { items, next: null, counts, ...model };
  },
});

export const inboxCountsRoute = defineRoute({
  method: 'get',
  path: '/inbox/counts',
  summary: 'How much there is to decide, for the navigation',
  answer: InboxCounts,
  run: (_, view) => inboxCounts(view),
});

/** The model that can be asked for names. Opening the inbox asks none, so that it sends nothing out. */
function modelOf({ gateway, who }: View): { model?: string } {
  const { config } = gateway.workspace;
  const model = namingModel({ config, models: gateway.models.get(who.user) ?? {} });
  return model === undefined ? {} : { model };
}

type Page = { items: InboxItem[]; next: string | null };

async function readKind(
  view: View,
  kind: InboxKind,
  page: { limit: number; cursor?: string | undefined },
): Promise<Page> {
  if (kind === 'unnamed') return readUnnamed(view, page.limit);
  if (kind === 'twins') return readFolds(view, page.limit);
  return readState(view, kind, page);
}

interface Suggested {
  id: string;
  currentName: string;
  suggestedName: string;
  description: string;
  tags: string[];
  confidence: number;
  reasoning: string;
  source: string;
}

/** The most used capabilities without a name, each with a name that fits it. */
async function readUnnamed(view: View, limit: number): Promise<Page> {
  const answer = await view.client.callOwn('cap_curate', { mode: 'suggest', by_rules: true }, view);
  const suggested = (answer.suggestions ?? []) as Suggested[];
  const open = await withoutDismissed(view, suggested, ({ id }) => `unnamed:${id}`);
  const items = open.slice(0, limit).map(
    (one): InboxItem => ({
      id: `unnamed:${one.id}`,
      kind: 'unnamed',
      capability: { id: one.id, name: one.currentName, description: one.description },
      suggestion: {
        ...{ name: one.suggestedName, description: one.description, tags: one.tags },
        confidence: one.confidence,
        by: one.source === 'heuristics' ? 'rules' : 'model',
      },
      why: one.reasoning,
      accept: 'name',
    }),
  );
  return { items, next: null };
}

async function readFolds(view: View, limit: number): Promise<Page> {
  const pairs = await readTwins(view);
  const items = pairs.slice(0, limit).map(
    ({ item, keep, fold, why }): InboxItem => ({
      ...{ id: item, kind: 'twins', why, accept: 'fold', other: fold },
      capability: { ...keep, description: '' },
    }),
  );
  return { items, next: null };
}

async function readState(
  view: View,
  kind: 'stale' | 'failing' | 'unused',
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page> {
  const { gateway, who } = view;
  const { lifecycle } = gateway.workspace.config;
  const { db } = gateway.resources;
  const page = await browse(db, who, { state: kind }, { sort: 'usage', limit, cursor }, lifecycle);
  const mine = page.items.filter(({ created_by }) => created_by === who.user || who.admin);
  const open = await withoutDismissed(view, mine, ({ id }) => `${kind}:${id}`);
  const items = open.map(
    ({ id, name, description, reason }): InboxItem => ({
      ...{ id: `${kind}:${id}`, kind, capability: { id, name, description } },
      ...{ why: reason ?? kind, accept: 'retire' },
    }),
  );
  return { items, next: page.next };
}

async function withoutDismissed<T>(
  { gateway, who }: View,
  all: readonly T[],
  itemOf: (one: T) => string,
): Promise<T[]> {
  const dismissed = await dismissedOf(gateway.resources.db, who, all.map(itemOf));
  return all.filter((one) => !dismissed.has(itemOf(one)));
}

export const acceptRoute = defineRoute({
  method: 'post',
  path: '/inbox/:item/accept',
  summary: 'Do what an item of the inbox suggests',
  body: AcceptInput,
  answer: Decided,
  run: async ({ params: { item }, body }, view) => {
    const { kind, id, other } = partsOf(item);
    const call = (tool: string, args: JsonObject) => view.client.callOwn(tool, args, { signal: NEVER });
    forgetTwins(view);
    if (kind === 'unnamed') return acceptName(view, id, body);
    const gone = kind === 'twins' ? other : id;
    if (kind === 'twins')
      assertApplied(await call('cap_curate', { mode: 'apply', merges: [{ keep: id, fold: [gone] }] }));
    else await call('cap_retire', { name: gone });
    const undo = async () => {
      forgetTwins(view);
      const { db, keys } = view.gateway.resources;
      await restore({ db, keys }, view.who, gone, { keepsEvidence: true });
    };
    return { undo: view.dashboard.undo.keep(undo) };
  },
});

export const askModelRoute = defineRoute({
  method: 'post',
  path: '/inbox/ask-model',
  summary: 'Ask the configured model for names of capabilities that have none',
  body: NoInput,
  answer: Suggestions,
  run: async (_, view) => {
    const { suggestions, notes = [] } = await view.client.callOwn('cap_curate', { mode: 'suggest' }, view);
    return { suggestions: (suggestions as Suggested[]).length, notes: notes as string[] };
  },
});

/** A decision is carried out, and undone, even if the page is closed meanwhile. */
const NEVER = new AbortController().signal;

/** Gives the capability the suggested name or another one, and a description and tags if they are given. */
async function acceptName(
  view: View,
  id: string,
  {
    name,
    description,
    tags,
  }: { name?: string | undefined; description?: string | undefined; tags?: string[] | undefined },
): Promise<{ undo: string }> {
  const { client, gateway, who, dashboard } = view;
  const before = await findShown(gateway.resources.db, who, id);
  const call = (tool: string, args: JsonObject) => client.callOwn(tool, args, { signal: NEVER });
  const chosen = name ?? (await suggestedName(view, id));
  assertApplied(await call('cap_curate', { mode: 'apply', renames: [{ id, name: chosen }] }));
  if (description !== undefined || tags !== undefined)
    await call('cap_rename', {
      name: id,
      ...(description !== undefined && { description }),
      ...(tags && { tags }),
    });
  const undo = async () => {
    await call('cap_rename', { name: id, undo: true });
    await call('cap_rename', { name: id, description: before.description, tags: before.tags });
  };
  return { undo: dashboard.undo.keep(undo) };
}

async function suggestedName(view: View, id: string): Promise<string> {
  const { items } = await readUnnamed(view, 200);
  const name = items.find(({ capability }) => capability.id === id)?.suggestion?.name;
  if (name === undefined) throw new PmlError('bad_request', 'Nothing is suggested for it. Give it a name.');
  return name;
}

/** Throws the reason if the decision was skipped. */
function assertApplied({ applied, skipped }: JsonObject): void {
  if (Array.isArray(applied) && applied.length > 0) return;
  const [first] = (skipped ?? []) as { why: string }[];
  throw new PmlError('changed_meanwhile', `This was not done: ${first?.why ?? 'it no longer applies'}.`);
}

export const dismissRoute = defineRoute({
  method: 'post',
  path: '/inbox/:item/dismiss',
  summary: 'Hide an item of the inbox for a while',
  body: NoInput,
  answer: Decided,
  run: async ({ params: { item } }, view) => {
    const { gateway, who, dashboard } = view;
    const { db } = gateway.resources;
    const { id } = partsOf(item);
    await findShown(db, who, id);
    await dismiss(db, who, item);
    forgetTwins(view);
    const undo = async () => {
      await undismiss(db, who, item);
      forgetTwins(view);
    };
    return { undo: dashboard.undo.keep(undo) };
  },
});

const ITEM = /^(unnamed|twins|stale|failing|unused):([0-9a-f-]{36})(?::([0-9a-f-]{36}))?$/;

function partsOf(item: string): { kind: InboxKind; id: string; other: string } {
  const [, kind, id = '', other = ''] = ITEM.exec(item) ?? [];
  if (kind === undefined || (kind === 'twins') !== (other !== ''))
    throw new PmlError('bad_request', 'There is no such item in the inbox.');
  return { kind: kind as InboxKind, id, other };
}

export const undoRoute = defineRoute({
  method: 'post',
  path: '/undo',
  summary: 'Take a decision back',
  body: UndoInput,
  answer: Undone,
  run: async ({ body }, { dashboard }) => {
    await dashboard.undo.undo(body.undo);
    return { undone: true as const };
  },
});
