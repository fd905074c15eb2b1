import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { after, TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { trustFile } from '../../src/config/index.ts';
import { connectDaemon } from '../../src/daemon/connect-daemon.js';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { attempt, eventually, within } from '../../src/testing/wait.ts';

/** PML as it is published: `scripts/test.ts` builds it first. */
export const PROGRAM = fileURLToPath(new URL('../../build/package/bin/pml.js', import.meta.url));
const require = createRequire(import.meta.url);
/** How long a client waits for `initialize`. The SDK's own minute is too short for many starts at once on a busy machine. */
const GREETING = { timeout: 180_000 };
/** A daemon that takes longer than this to stop is stuck. */
const STOP_MS = 90_000;

/** Returns the entry file of an npm package's program, to be run with the Node that runs the tests. */
export function programOf(name: string, file = 'dist/index.js'): string {
  return join(dirname(require.resolve(`${name}/package.json`)), file);
}

/** A server of the official set, as a config entry. */
export function npmServer(name: string, ...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [programOf(`@modelcontextprotocol/server-${name}`), ...args] };
}

/** A fixture server of ours, as a config entry. */
export function fixtureServer(file: string, ...args: string[]): { command: string; args: string[] } {
  const [start, path] = ['start-fixture.mjs', file].map((name) =>
    fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)),
  ) as [string, string];
  return { command: process.execPath, args: [start, path, ...args] };
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** One home and one project folder of a test, and all that is started on them. Removed after the test. */
export class Pml {
  readonly dir = mkdtempSync(join(scratchRoot(), 'pml-test-'));
  readonly home = join(this.dir, 'home');
  readonly env: Record<string, string>;
  readonly #closers: (() => Promise<unknown>)[] = [];

  constructor(
    t: Pick<TestContext, 'after'> | { after: typeof after },
    config: object = {},
    env: Record<string, string> = {},
  ) {
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.dir,
      PML_HOME: this.home,
      PML_IDLE_SECONDS: '60',
      // Tests need the daemon as soon as `initialize` is answered.
      PML_FIRST_ANSWERS: 'wait',
      // All homes of tests share one cache, so that only the first start compiles.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      ...env,
    };
    this.configure(config);
    t.after(() => this.close());
  }

  /** Registers work to do before the daemon is stopped and the home removed. */
  onClose(closer: () => Promise<unknown>): void {
    this.#closers.push(closer);
  }

  configure(config: object): void {
    this.#write(this.dir, config);
  }

  /** Makes another project folder with its own config, on the same home. */
  project(name: string, config: object): string {
    const folder = join(this.dir, name);
    mkdirSync(folder, { recursive: true });
    this.#write(folder, config);
    return folder;
  }

  /** Writes a config and trusts it as `pml trust` does, without starting a process. */
  #write(folder: string, config: object): void {
    const file = join(folder, 'pml.json');
    writeFileSync(file, JSON.stringify(config));
    trustFile(this.env.PML_HOME ?? this.home, file);
  }

  /** Runs a command of the program to its end. */
  run(
    args: string[],
    options: {
      env?: Record<string, string>;
      cwd?: string;
      input?: string | Buffer;
      program?: string;
      node?: string;
    } = {},
  ): Promise<Finished> {
    const child = spawn(options.node ?? process.execPath, [options.program ?? PROGRAM, ...args], {
      cwd: options.cwd ?? this.dir,
      env: { ...this.env, ...options.env },
    });
    child.stdin.end(options.input ?? '');
    return new Promise((resolve) => {
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
  }

  /** Runs `pml doctor`, again if a server had no time to answer it: on a busy machine some take longer than it waits. */
  doctor(
    args: string[] = [],
    options: { cwd?: string; env?: Record<string, string> } = {},
  ): Promise<Finished> {
    const run = () => this.run(['doctor', ...args], options);
    return attempt(run, ({ stdout }) => !stdout.includes('did not answer the handshake'));
  }

  /** Returns the output of `pml status --json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
  async status(): Promise<any> {
    return JSON.parse((await this.run(['status', '--json'])).stdout);
  }

  /** Waits until the daemon's log holds the pattern: it is written in batches. */
  logged(pattern: RegExp): Promise<unknown> {
    const log = join(this.home, 'log', 'pml.log');
    // The log may just have been rotated.
    const files = () => [`${log}.old`, log].filter((file) => existsSync(file));
    const isLogged = () => files().some((file) => pattern.test(readFileSync(file, 'utf8')));
    return eventually(isLogged, `${pattern} in the log`);
  }

  /** Connects an SDK v2 client over `pml serve`. */
  async stdio(options: ClientOptions = {}): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, options);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'serve'],
      env: this.env,
      cwd: this.dir,
      stderr: 'ignore',
    });
    await client.connect(transport, GREETING);
    this.#closers.push(() => client.close());
    return client;
  }

  /** Starts `pml up` on a free port. Settles when it listens. */
  async up(...args: string[]): Promise<{
    url: string;
    ended: Promise<Finished>;
    stop: (signal?: NodeJS.Signals) => Promise<Finished>;
  }> {
    const child = spawn(process.execPath, [PROGRAM, 'up', '--port', '0', ...args], {
      cwd: this.dir,
      env: this.env,
    });
    const finished = new Promise<Finished>((resolve) => {
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
    let stdout = '';
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const stop = (signal: NodeJS.Signals = 'SIGINT') => {
      child.kill(signal);
      return finished;
    };
    this.#closers.push(() => stop());
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        stdout += `${line}\n`;
        const found = /MCP gateway\s+(\S+)\/mcp/.exec(line);
        if (found?.[1]) resolve(found[1]);
      });
      child.once('close', () => reject(new Error(`pml up ended: ${stderr}`)));
    });
    return { url, ended: finished, stop };
  }

  /** Connects an SDK v2 client over HTTP. */
  async http(url: string, options: ClientOptions = {}): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)), GREETING);
    this.#closers.push(() => client.close());
    return client;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#closers.splice(0).map((close) => close()));
    await this.#stop();
    const held = this.#heldEventLoop();
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
    if (held.length > 0) throw new Error(`The daemon stalled its sessions:\n${held.join('\n')}`);
  }

  /** Returns the log lines of the daemon's event-loop watchdog. */
  #heldEventLoop(): string[] {
    try {
      const log = readFileSync(join(this.home, 'log', 'pml.log'), 'utf8');
      return log.split('\n').filter((line) => line.includes('the event loop was held'));
    } catch {
      // No daemon was started, or the test removed its log.
      return [];
    }
  }

  /** Stops the daemon as `pml down` does, without starting a process. */
  async #stop(): Promise<void> {
    const connection = await connectDaemon({
      env: this.env,
      handshake: { version: '0', kind: 'stop' },
      start: false,
    });
    if (!connection) return;
    connection.socket.resume();
    const stopped = new Promise((resolve) => connection.socket.once('close', resolve));
    await within(stopped, STOP_MS, 'the end of the daemon');
  }
}
