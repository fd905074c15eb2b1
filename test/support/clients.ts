import assert from 'node:assert/strict';
import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import { IS_WHOLE } from '../../src/testing/effort.ts';
import { type Pml, PROGRAM } from './pml.ts';
import { ReceivedNotifications } from './received-notifications.ts';

/** Data off the wire, of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
export type Loose = any;

export type Kind = 'SDK v1' | 'SDK v2 legacy' | 'SDK v2 modern';
export type TransportName = 'stdio' | 'HTTP';

export const KINDS: readonly Kind[] = ['SDK v1', 'SDK v2 legacy', 'SDK v2 modern'];
export const TRANSPORTS: readonly TransportName[] = ['stdio', 'HTTP'];
/** Every kind of client on every transport. An everyday run takes one for each era and transport. */
export const EACH_CLIENT = KINDS.flatMap((kind) =>
  TRANSPORTS.map((transport) => ({ kind, transport })),
).filter(
  ({ kind, transport }) =>
    IS_WHOLE || kind === 'SDK v2 modern' || (kind === 'SDK v1') === (transport === 'stdio'),
);

export interface RequestOptions {
  signal?: AbortSignal;
  onprogress?: (progress: Loose) => void;
  timeout?: number;
}

export interface PeerOptions {
  /** Answers questions of servers. Its presence declares the capability. */
  sample?: (params: Loose) => object | Promise<object>;
  elicit?: (params: Loose) => object | Promise<object>;
  /** The folder of the config, if it is not the home's. */
  cwd?: string;
  env?: Record<string, string>;
  /** The agent that the client acts as, and the only capability of the agent that it wants. */
  agent?: string;
  capability?: string;
  /** False: a modern client does not listen for changes. */
  listens?: boolean;
}

/** A real client of any kind, with one interface for all kinds. */
export interface Peer {
  readonly kind: Kind;
  readonly notifications: ReceivedNotifications;
  readonly errors: Error[];
  instructions(): string | undefined;
  request(method: string, params?: Record<string, unknown>, options?: RequestOptions): Promise<Loose>;
  call(name: string, args?: object, options?: RequestOptions): Promise<Loose>;
  /** All pages of a list. */
  list(method: string, key: string): Promise<Loose[]>;
  toolNames(): Promise<string[]>;
  /** Waits for notifications until the list has this tool. */
  untilListed(tool: string): Promise<void>;
  /** Subscribes to one resource. The result unsubscribes. */
  watch(uri: string): Promise<() => Promise<unknown>>;
  close(): Promise<void>;
}

export const TOOLS_CHANGED = 'notifications/tools/list_changed';
const RAW = z.unknown();
/** The SDKs' own minute is too short for long runs on a busy machine. */
const PATIENCE = { timeout: 180_000 };
const ALL_LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

type Request = Peer['request'];
type Raw = Pick<Peer, 'kind' | 'notifications' | 'errors' | 'instructions' | 'request' | 'watch' | 'close'>;

/** Connects a client of this kind; `url` is where `pml up` listens. */
export async function connectPeer(
  pml: Pml,
  kind: Kind,
  transport: TransportName,
  url: string,
  options: PeerOptions = {},
): Promise<Peer> {
  const raw = await (kind === 'SDK v1' ? connectV1 : connectV2)(pml, kind, transport, url, options);
  pml.onClose(() => raw.close());
  const list: Peer['list'] = async (method, key) => {
    const items: Loose[] = [];
    let cursor: string | undefined;
    do {
      const page = await raw.request(method, cursor === undefined ? {} : { cursor });
      items.push(...page[key]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return items;
  };
  const toolNames = async () => (await list('tools/list', 'tools')).map(({ name }) => name);
  return {
    ...raw,
    list,
    toolNames,
    call: (name, args = {}, more) => raw.request('tools/call', { name, arguments: args }, more),
    untilListed: async (tool) => {
      for (let count = raw.notifications.of(TOOLS_CHANGED).length + 1; ; count++) {
        if ((await toolNames()).includes(tool)) return;
        await raw.notifications.until(TOOLS_CHANGED, count);
      }
    },
  };
}

function stdioOf(pml: Pml, { cwd, env, agent, capability }: PeerOptions) {
  const identity = [
    ...(agent === undefined ? [] : ['--agent', agent]),
    ...(capability === undefined ? [] : ['--capability', capability]),
  ];
  return {
    command: process.execPath,
    args: [PROGRAM, 'serve', ...identity],
    env: { ...pml.env, ...env },
    cwd: cwd ?? pml.dir,
    stderr: 'ignore' as const,
  };
}

function endpointOf(url: string, { agent }: PeerOptions): URL {
  return new URL(agent === undefined ? `${url}/mcp` : `${url}/agents/${agent}/mcp`);
}

/** Loaded when a test needs it: it takes half as long as everything else that a test file loads. */
async function loadV1() {
  const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }, schemas] =
    await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/stdio.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
  return { ClientV1: Client, StdioV1: StdioClientTransport, HttpV1: StreamableHTTPClientTransport, schemas };
}

async function connectV1(
  pml: Pml,
  kind: Kind,
  transport: TransportName,
  url: string,
  options: PeerOptions,
): Promise<Raw> {
  const { ClientV1, StdioV1, HttpV1, schemas } = await loadV1();
  const client = new ClientV1({ name: 'test', version: '1' }, { capabilities: capabilitiesOf(options) });
  const { sample, elicit } = options;
  if (sample) {
    client.setRequestHandler(
      schemas.CreateMessageRequestSchema,
      async ({ params }) => (await sample(params)) as Loose,
    );
  }
  if (elicit) {
    client.setRequestHandler(
      schemas.ElicitRequestSchema,
      async ({ params }) => (await elicit(params)) as Loose,
    );
  }
  const notifications = new ReceivedNotifications();
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  client.fallbackNotificationHandler = async ({ method, params }) => notifications.add(method, params);
  const connection =
    transport === 'stdio' ? new StdioV1(stdioOf(pml, options)) : new HttpV1(endpointOf(url, options));
  await client.connect(connection as TransportV1, PATIENCE);
  const request: Request = (method, params = {}, more) =>
    client.request({ method, params }, RAW, { ...PATIENCE, ...more });
  return {
    kind,
    notifications,
    errors,
    request,
    instructions: () => client.getInstructions(),
    watch: (uri) => subscribe(request, uri),
    close: async () => {
      if (connection instanceof HttpV1) await connection.terminateSession();
      await client.close();
    },
  };
}

async function connectV2(
  pml: Pml,
  kind: Kind,
  transport: TransportName,
  url: string,
  options: PeerOptions,
): Promise<Raw> {
  const client = new ClientV2(
    { name: 'test', version: '1' },
    {
      capabilities: capabilitiesOf(options),
      ...(kind === 'SDK v2 modern' && { versionNegotiation: { mode: 'auto' } }),
    },
  );
  const { sample, elicit } = options;
  if (sample) {
    client.setRequestHandler('sampling/createMessage', async ({ params }) => (await sample(params)) as Loose);
  }
  if (elicit) {
    client.setRequestHandler('elicitation/create', async ({ params }) => (await elicit(params)) as Loose);
  }
  const notifications = new ReceivedNotifications();
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  client.fallbackNotificationHandler = async ({ method, params }) => notifications.add(method, params);
  const connection =
    transport === 'stdio'
      ? new StdioClientTransport(stdioOf(pml, options))
      : new StreamableHTTPClientTransport(endpointOf(url, options));
  await client.connect(connection, PATIENCE);
  const isModern = client.getProtocolEra() === 'modern';
  if (isModern !== (kind === 'SDK v2 modern')) throw new Error(`${kind} was served in another era`);
  const listening = isModern && options.listens !== false ? await client.listen(ALL_LISTS) : undefined;
  const request: Request = (method, params = {}, more) =>
    client.request({ method, params }, RAW, { ...PATIENCE, ...more });
  return {
    kind,
    notifications,
    errors,
    request,
    instructions: () => client.getInstructions(),
    watch: async (uri) => {
      if (!isModern) return subscribe(request, uri);
      const stream = await client.listen({ resourceSubscriptions: [uri] });
      return () => stream.close();
    },
    close: async () => {
      await listening?.close();
      if (connection instanceof StreamableHTTPClientTransport && !isModern)
        await connection.terminateSession();
      await client.close();
    },
  };
}

async function subscribe(request: Request, uri: string): Promise<() => Promise<unknown>> {
  await request('resources/subscribe', { uri });
  return () => request('resources/unsubscribe', { uri });
}

function capabilitiesOf({ sample, elicit }: PeerOptions): Record<string, object> {
  return { ...(sample && { sampling: {} }), ...(elicit && { elicitation: { form: {}, url: {} } }) };
}

/** Returns one shared client of each kind, connected at its first use. */
export function sharedPeers(
  pml: Pml,
  url: () => string,
): (kind: Kind, transport: TransportName) => Promise<Peer> {
  const peers = new Map<string, Promise<Peer>>();
  return (kind, transport) => {
    const key = `${kind} ${transport}`;
    const known = peers.get(key) ?? connectPeer(pml, kind, transport, url());
    peers.set(key, known);
    return known;
  };
}

/** Returns the text of a call's failure, which is a result or an error. */
export async function failureOf(call: Promise<Loose>): Promise<string> {
  const outcome = await call.catch((error: Error) => error);
  if (outcome instanceof Error) return outcome.message;
  assert.equal(outcome.isError, true, `did not fail: ${JSON.stringify(outcome)}`);
  return outcome.content[0].text;
}
