import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { loadTrusting } from '../../src/config/testing.ts';
import { principalOf } from '../../src/daemon/client-config.ts';
import { closeResources, openResources } from '../../src/daemon/resources.ts';
import { Workspaces } from '../../src/daemon/workspaces.ts';
import { type Gateway, identify, serveConnection } from '../../src/gateway/index.ts';
import { StreamTransport } from '../../src/gateway/transport/stream-transport.ts';
import type { Principal } from '../../src/principal.ts';
import { onChange } from '../../src/registry/index.ts';
import { onEvidence } from '../../src/registry/usage/index.ts';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { fixtureServer } from './pml.ts';
import { usualDatabase } from './usual-engine.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
export type Loose = any;

const RAW = z.unknown();
/** How long a client waits for an answer. The SDK's own minute is too short for long runs on a busy machine. */
const ANSWER_MS = 300_000;

/** A fixture server whose tools answer with the server's name and their own. */
export function rightsServer(name: string, tools: readonly string[]): object {
  return fixtureServer('fixture-rights.ts', '--name', name, '--tools', tools.join(','));
}

/** One client of the gateway, over a stream. */
export interface AgentClient {
  /** `method` and `params` of every notification, in order. */
  readonly heard: { method: string; params?: Loose }[];
  instructions(): string;
  request(method: string, params?: object): Promise<Loose>;
  /** Calls a tool; an error of the protocol is returned as `{ error }`. */
  call(tool: string, args?: object): Promise<Loose>;
  /** Runs code, and returns the whole answer. */
  execute(input: object): Promise<Loose>;
  toolNames(): Promise<string[]>;
  close(): Promise<void>;
}

/** The gateway of a config and all behind it, in this process; clients reach it over streams, in MCP. */
export async function openGatewayBed(config: object, env: Record<string, string> = {}) {
  const dir = mkdtempSync(join(scratchRoot(), 'pml-agents-'));
  const home = join(dir, 'home');
  mkdirSync(home, { recursive: true });
  const file = join(dir, 'pml.json');
  const all = {
    ...{ PML_HOME: home, HOME: dir, PATH: process.env.PATH ?? '', PML_LOG: 'warn' },
    ...(await usualDatabase()),
    ...env,
  };
  const resources = await openResources({ env: all });
  const workspaces = new Workspaces(resources, 60_000);
  await onChange(resources.db, (change) => workspaces.registryChanged(change));
  await onEvidence(resources.db, (change) => workspaces.evidenceChanged(change));
  const clients = new Set<AgentClient>();
  const load = (content: object) => {
    writeFileSync(file, JSON.stringify(content));
    return loadTrusting({ cwd: dir, env: all, flags: { config: file } });
  };
  const loaded = load(config);
  const first = { ...loaded, agents: { ...loaded.agents } };
  const { gateway } = workspaces.acquire(first);
  await allListed(gateway);
  const user = { ...principalOf(first), person: false };
  const connect = async (
    asked: { agent?: string; capability?: string } = {},
    {
      who = user,
      mode = 'legacy' as 'legacy' | 'auto',
      of = gateway,
    }: { who?: Principal; mode?: 'legacy' | 'auto'; of?: Gateway } = {},
  ): Promise<AgentClient> => {
    const [near, far] = duplexPair();
    const served = serveConnection(far, of, identify(of, who, asked));
    const client = await connectClient(near, mode);
    const close = async () => {
      clients.delete(closing);
      await client.close();
      await served.close();
    };
    const closing = { ...client, close };
    clients.add(closing);
    return closing;
  };
  return {
    dir,
    gateway,
    user,
    resources,
    connect,
    /** Declares one more agent, as if it had been in the config from the start. */
    declare: (name: string, capabilities: object) => {
      first.agents[name] = { capabilities } as (typeof first.agents)[string];
    },
    /** Opens the workspace of another config on the same home. */
    reopen: async (content: object) => {
      const { gateway: other } = workspaces.acquire(load(content));
      await allListed(other);
      return other;
    },
    close: async () => {
      await Promise.all([...clients].map((client) => client.close()));
      await workspaces.close();
      await closeResources(resources);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export type GatewayBed = Awaited<ReturnType<typeof openGatewayBed>>;

/** A loaded machine may take longer to start servers than a client waits for their lists. */
async function allListed({ workspace }: Gateway): Promise<void> {
  await Promise.all(workspace.upstreams.map((upstream) => upstream.settled()));
}

async function connectClient(stream: ReturnType<typeof duplexPair>[0], mode: 'legacy' | 'auto') {
  const heard: AgentClient['heard'] = [];
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification);
  await client.connect(new StreamTransport(stream));
  const request = (method: string, params: object = {}) =>
    client.request({ method, params } as never, RAW as never, { timeout: ANSWER_MS }) as Promise<Loose>;
  const call = async (name: string, args: object = {}) => {
    try {
      return await request('tools/call', { name, arguments: args });
    } catch (error) {
      const { code, message, data } = error as Loose;
      return { error: { code, message, data } };
    }
  };
  return {
    heard,
    instructions: () => client.getInstructions() ?? '',
    request,
    call,
    execute: (input: object) => call('pml_execute', { intent: 'test', ...input }),
    toolNames: async () => {
      const names: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await request('tools/list', cursor === undefined ? {} : { cursor });
        names.push(...page.tools.map((tool: Loose) => tool.name));
        cursor = page.nextCursor;
        if (cursor === undefined) return names;
      }
    },
    close: () => client.close(),
  };
}
