import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Gateway, joinGateway, startGateway } from '../../src/embed/index.ts';
import type { JsonSchema } from '../../src/json.ts';
import type { Answer } from '../../src/testing/programs/run-program.ts';
import type { Tool } from './data.ts';

/** Answers a call, as the record has it. */
export type Answering = (call: { name: string; occurrence: number }) => Answer;

/** What PML says of a run. */
export interface Remembered {
  /** Undefined if nothing was remembered. */
  readonly fqdn: string | undefined;
  /** The arguments with which PML says that the capability does this run; undefined if not all can be shown. */
  readonly args: Record<string, unknown> | undefined;
  readonly ms: number;
}

export interface Capability {
  readonly code: string;
  readonly parameters: JsonSchema;
}

const SETTINGS = {
  expose: 'lean',
  curation: { model: 'none' },
  learning: { plainCalls: false },
  discovery: { embeddings: 'none' },
};

/** One PML whose servers answer from the record. */
export class Bed {
  readonly #dir = mkdtempSync(join(tmpdir(), 'pml-bench-learning-'));
  readonly #tools: readonly Tool[];
  #answer: Answering = () => ({ value: null });
  readonly #http = createServer(async (request, response) => {
    const message = request.method === 'POST' ? JSON.parse(await text(request)) : {};
    if (message.id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const result = this.#reply(message, request.url?.slice(1) ?? '');
    response.writeHead(200, { 'content-type': 'application/json' });
    const error = { code: -32601, message: `Method not found: ${message.method}` };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }));
  });
  #gateway: Gateway | undefined;

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  async start(): Promise<void> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    const { port } = this.#http.address() as AddressInfo;
    const names = new Set(this.#tools.map(({ server }) => server));
    const mcpServers = Object.fromEntries(
      [...names].map((name) => [name, { type: 'http', url: `http://127.0.0.1:${port}/${name}` }]),
    );
    writeFileSync(join(this.#dir, 'pml.json'), JSON.stringify({ ...SETTINGS, mcpServers }));
    this.#gateway = await startGateway(this.#place('default'));
  }

  /** Opens a project that knows nothing, and hands it over. */
  async inProject<T>(name: string, act: (project: Project) => Promise<T>): Promise<T> {
    const session = await joinGateway(this.#place(name));
    try {
      return await act(new Project(session, (answer) => this.#serve(answer)));
    } finally {
      await session.close();
    }
  }

  /** Stops PML and reads every file that it left. */
  async stoppedHome(): Promise<string[]> {
    await this.#gateway?.close();
    this.#gateway = undefined;
    const root = join(this.#dir, 'home');
    return globSync('**/*', { cwd: root })
      .map((name) => join(root, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, 'latin1'));
  }

  async close(): Promise<void> {
    await this.#gateway?.close();
    this.#http.close();
    this.#http.closeAllConnections();
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }

  #place(project: string) {
    return {
      home: join(this.#dir, 'home'),
      config: join(this.#dir, 'pml.json'),
      cwd: this.#dir,
      env: { PATH: process.env.PATH ?? '', HOME: this.#dir, PML_LOG: 'error', PML_PROJECT: project },
    };
  }

  #serve(answer: Answering): void {
    this.#answer = answer;
  }

  #reply(
    { method, params }: { method: string; params?: Record<string, string> },
    server: string,
  ): object | undefined {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: server, version: '1' },
        };
      case 'ping':
        return {};
      case 'tools/list':
        return {
          tools: this.#tools
            .filter((tool) => tool.server === server)
            .map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
        };
      case 'tools/call': {
        const answer = this.#answer({ name: `${server}:${params?.name}`, occurrence: 0 });
        if ('error' in answer) return { isError: true, content: [{ type: 'text', text: answer.error }] };
        return { content: [{ type: 'text', text: JSON.stringify(answer.value) }] };
      }
      default:
        return undefined;
    }
  }
}

export class Project {
  readonly #session: Gateway;
  readonly #serve: (answer: Answering) => void;

  constructor(session: Gateway, serve: (answer: Answering) => void) {
    this.#session = session;
    this.#serve = serve;
  }

  /** `refused` if the record holds arguments that the tool's schema forbids. */
  async learn(code: string, intent: string, answer: Answering): Promise<Remembered | 'refused'> {
    this.#serve(answer);
    const began = performance.now();
    const asked = this.#session.execute({ intent, code });
    const { capabilityFqdn, remembered } = await asked.catch((error) => {
      if (error.code === 'invalid_arguments') return { capabilityFqdn: 'refused', remembered: undefined };
      throw error;
    });
    const ms = performance.now() - began;
    if (capabilityFqdn === 'refused') return 'refused';
    return { fqdn: capabilityFqdn as string | undefined, args: argumentsIn(remembered?.call), ms };
  }

  async lookup(fqdn: string): Promise<Capability> {
    const { code, parameters_schema } = await this.#session.registry.whois(fqdn);
    return { code, parameters: parameters_schema as JsonSchema };
  }
}

/** The arguments in the text `pml_execute({"intent":…,"capability":…,"args":{…}})`, where nothing is shortened, hidden or to be filled in. */
function argumentsIn(call = ''): Record<string, unknown> | undefined {
  if (/…|\[hidden\]|"<[a-z_]+>"/.test(call)) return undefined;
  try {
    return JSON.parse(call.slice(call.indexOf('{'), call.lastIndexOf('}') + 1)).args ?? {};
  } catch {
    return undefined;
  }
}
