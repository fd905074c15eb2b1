import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { MAX_MESSAGE_BYTES } from './transport/message-size.ts';

export interface ListedTool extends JsonObject {
  readonly name: string;
}
export interface ListedResource extends JsonObject {
  readonly uri: string;
}
export interface ListedTemplate extends JsonObject {
  readonly uriTemplate: string;
}

export interface Catalog {
  readonly server: JsonObject;
  readonly instructions: string;
  readonly capabilities: JsonObject;
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedTool[];
  readonly resources: readonly ListedResource[];
  readonly templates: readonly ListedTemplate[];
}

export const NO_CATALOG: Catalog = {
  server: {},
  instructions: '',
  capabilities: {},
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
};

export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates';

const LISTS = {
  tools: { method: 'tools/list', key: 'tools', id: 'name', capability: 'tools' },
  prompts: { method: 'prompts/list', key: 'prompts', id: 'name', capability: 'prompts' },
  resources: { method: 'resources/list', key: 'resources', id: 'uri', capability: 'resources' },
  templates: {
    method: 'resources/templates/list',
    key: 'resourceTemplates',
    id: 'uriTemplate',
    capability: 'resources',
  },
} as const;

export const LIST_KINDS = Object.keys(LISTS) as ListKind[];

/** A server that lists more, or on more pages, is broken; what came before is kept. */
const MAX_ITEMS = 100_000;
const MAX_PAGES = 1000;
/** Of the pages after the first, which is as large as a message may be. */
const MAX_MORE_BYTES = MAX_MESSAGE_BYTES;
const RAW = z.unknown();

/** Reads every page of one list. The SDK's own `listTools()` would strip what it does not know. */
export async function readList(
  client: Client,
  kind: ListKind,
  timeoutMs: number,
  onProblem: (text: string) => void,
): Promise<JsonObject[]> {
  const { method, key, id, capability } = LISTS[kind];
  if (!client.getServerCapabilities()?.[capability]) return [];
  const items: JsonObject[] = [];
  const seen = new Set<string>();
  const deadline = performance.now() + timeoutMs;
  let cursor: string | undefined;
  let more = 0;
  do {
    // For all pages together: each may be quick, and their number without end.
    const timeout = Math.max(1, deadline - performance.now());
    const params = cursor === undefined ? {} : { cursor };
    const page = (await client.request({ method, params }, RAW, { timeout })) as JsonObject;
    const listed = Array.isArray(page?.[key]) ? (page[key] as unknown[]) : [];
    if (cursor !== undefined) more += JSON.stringify(listed).length;
    for (const item of listed) if (isListed(item, id)) items.push(item);
    const next = page?.nextCursor;
    // A cursor seen before would go round for ever.
    cursor = typeof next === 'string' && !seen.has(next) ? next : undefined;
    if (cursor !== undefined) seen.add(cursor);
  } while (
    cursor !== undefined &&
    items.length < MAX_ITEMS &&
    seen.size < MAX_PAGES &&
    more < MAX_MORE_BYTES
  );
  if (cursor !== undefined)
    onProblem(
      `its list of ${kind} does not end after ${seen.size} pages; the first ${items.length} are kept`,
    );
  return items;
}

/** Reads all lists at once. A list the server announces and then fails to give is empty, and said so. */
export async function readCatalog(
  client: Client,
  timeoutMs: number,
  onProblem: (text: string) => void,
): Promise<Catalog> {
  const lists = await Promise.all(
    LIST_KINDS.map((kind) =>
      readList(client, kind, timeoutMs, onProblem).catch((error: Error) => {
        // Tools are what a server is for: without them it is not usable, and the connection should be tried anew.
        if (kind === 'tools') throw error;
        // Many servers announce resources and know no templates.
        if ((error as { code?: unknown }).code !== -32601)
          onProblem(`could not list ${kind}: ${error.message}`);
        return [];
      }),
    ),
  );
  const [tools, prompts, resources, templates] = lists as [
    ListedTool[],
    ListedTool[],
    ListedResource[],
    ListedTemplate[],
  ];
  return {
    server: { ...client.getServerVersion() },
    instructions: client.getInstructions() ?? '',
    capabilities: { ...client.getServerCapabilities() },
    tools,
    prompts,
    resources,
    templates,
  };
}

function isListed(item: unknown, id: string): item is JsonObject {
  return typeof item === 'object' && item !== null && typeof (item as JsonObject)[id] === 'string';
}
