import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gateway, joinGateway, startGateway } from '../../src/embed/index.ts';
import type { JsonSchema } from '../../src/json.ts';
import type { AnyWorld } from './answers.ts';
import { Backend } from './backend.ts';
import type { Ran } from './behaviour.ts';
import { TOOLS, type Tool } from './tools.ts';

/** A run that PML was asked to remember. */
export interface Learned {
  readonly ran: Ran;
  /** Undefined if nothing was remembered. */
  readonly fqdn: string | undefined;
  /** The arguments with which PML says the capability does this run. */
  readonly args: Record<string, unknown>;
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

/** One PML over the tools. Each project sees only what it learned itself. */
export class Bed {
  readonly #dir = mkdtempSync(join(tmpdir(), 'pml-bench-styles-'));
  readonly #backend = new Backend();
  // Projects that were closed would slow the others down while their servers stay connected.
  readonly #env = { PATH: process.env.PATH ?? '', HOME: this.#dir, PML_LOG: 'error', PML_IDLE_SECONDS: '1' };
  #servers: Record<string, object> = {};
  #gateway: Gateway | undefined;
  #projects = 0;

  async start(): Promise<void> {
    this.#servers = await this.#backend.start();
    this.#gateway = await startGateway(this.#place('default', []));
  }

  /** Opens a project that knows nothing, hands it over, and closes it. It has the servers that `text` names. */
  async inNewProject<T>(text: string, act: (project: Project) => Promise<T>): Promise<T> {
    this.#projects += 1;
    const servers = Object.keys(TOOLS).filter((name) => text.includes(`mcp.${name}.`));
    const session = await joinGateway(this.#place(`p${this.#projects}`, servers));
    try {
      const project = new Project(session, this.#backend);
      await project.warm(servers);
      return await act(project);
    } finally {
      await session.close();
    }
  }

  async close(): Promise<void> {
    await this.#gateway?.close();
    this.#backend.stop();
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }

  #place(project: string, servers: readonly string[]) {
    const config = join(this.#dir, `${['pml', ...servers].join('-')}.json`);
    const mcpServers = Object.fromEntries(servers.map((name) => [name, this.#servers[name]]));
    if (!existsSync(config)) writeFileSync(config, JSON.stringify({ ...SETTINGS, mcpServers }));
    return {
      home: join(this.#dir, 'home'),
      config,
      cwd: this.#dir,
      env: { ...this.#env, PML_PROJECT: project },
    };
  }
}

export class Project {
  readonly #session: Gateway;
  readonly #backend: Backend;

  constructor(session: Gateway, backend: Backend) {
    this.#session = session;
    this.#backend = backend;
  }

  /** The first call of a server also connects it, and the first lesson of a project takes longer; neither is measured. */
  async warm(servers: readonly string[]): Promise<void> {
    const code = servers.map(anyCall).join('\n');
    await this.#run('base', { intent: 'connect', code, options: { remember: false } });
    await this.#run('base', { intent: 'warm up', code: "return 'ready'" });
  }

  async learn(code: string, intent: string): Promise<Learned> {
    const began = performance.now();
    const { ran, answer } = await this.#run('base', { intent, code });
    const ms = performance.now() - began;
    const fqdn = answer?.capabilityFqdn as string | undefined;
    return { ran, fqdn, args: argumentsIn(answer?.remembered?.call), ms };
  }

  /** Runs a program without learning from it. */
  async run(world: AnyWorld, code: string): Promise<Ran> {
    return (await this.#run(world, { intent: 'run it', code, options: { remember: false } })).ran;
  }

  async call(world: AnyWorld, capability: string, args: Record<string, unknown>): Promise<Ran> {
    return (await this.#run(world, { intent: 'call it', capability, args })).ran;
  }

  async lookup(fqdn: string): Promise<Capability> {
    const { code, parameters_schema } = await this.#session.registry.whois(fqdn);
    return { code, parameters: parameters_schema as JsonSchema };
  }

  async #run(world: AnyWorld, request: Parameters<Gateway['execute']>[0]) {
    const { calls } = this.#backend.begin(world);
    try {
      const answer = await this.#session.execute(request);
      return { ran: { calls, result: answer.result }, answer };
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return { ran: { calls, failure: `${code}: ${message}` } };
    }
  }
}

/** A call of the server's first tool, with arguments that its schema accepts. */
function anyCall(server: string): string {
  const [tool, { inputSchema }] = Object.entries(TOOLS[server] ?? {})[0] as [string, Tool];
  const { properties = {}, required = [] } = inputSchema;
  const samples: Record<string, unknown> = { string: 'x', number: 1, integer: 1, array: [] };
  const args = required.map((name) => [name, samples[String((properties[name] as JsonSchema).type)]]);
  return `await mcp.${server}.${tool}(${JSON.stringify(Object.fromEntries(args))});`;
}

/** The arguments in the text `pml_execute({"intent":…,"capability":…,"args":{…}})`. */
function argumentsIn(call = ''): Record<string, unknown> {
  const json = /\{.*\}/s.exec(call)?.[0];
  return json === undefined ? {} : (JSON.parse(json).args ?? {});
}
