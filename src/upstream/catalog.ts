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

/** A server that lists more, or on more pages, is broken; the items before the limit are kept. */
const MAX_ITEMS = 100_000;
const MAX_PAGES = 1000;
/** Limit for all pages after the first together. The limit for a message bounds the first. */
const MAX_LATER_PAGES_BYTES = MAX_MESSAGE_BYTES;
const ANY_RESULT = z.unknown();

/** Reads every page of one list. The SDK's own `listTools()` would strip fields that it does not know. */
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
  let laterBytes = 0;
  do {
    // The timeout is for all pages together: each may be quick, and their number endless.
    const timeout = Math.max(1, deadline - performance.now());
    const params = cursor === undefined ? {} : { cursor };
    const page = (await client.request({ method, params }, ANY_RESULT, { timeout })) as JsonObject;
    const listed = Array.isArray(page?.[key]) ? (page[key] as unknown[]) : [];
    if (cursor !== undefined) laterBytes += JSON.stringify(listed).length;
    for (const item of listed) if (isListed(item, id)) items.push(item);
    const next = page?.nextCursor;
    // A repeated cursor would loop for ever.
    cursor = typeof next === 'string' && !seen.has(next) ? next : undefined;
    if (cursor !== undefined) seen.add(cursor);
  } while (
    cursor !== undefined &&
    items.length < MAX_ITEMS &&
    seen.size < MAX_PAGES &&
    laterBytes < MAX_LATER_PAGES_BYTES
  );
  if (cursor !== undefined)
    onProblem(
      `its list of ${kind} does not end after ${seen.size} pages; the first ${items.length} are kept`,
    );
  return items;
}

/** Reads all lists at once. A list that the server announces but fails to give is empty, and the problem is reported. */
export async function readCatalog(
  client: Client,
  timeoutMs: number,
  onProblem: (text: string) => void,
): Promise<Catalog> {
  const lists = await Promise.all(
    LIST_KINDS.map((kind) =>
      readList(client, kind, timeoutMs, onProblem).catch((error: Error) => {
        // A server without its tools is not usable: the connection should be tried again.
        if (kind === 'tools') throw error;
        // Many servers announce resources but do not know templates.
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
