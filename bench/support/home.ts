import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPackage } from '../../scripts/build.ts';
import { trustFile } from '../../src/config/index.ts';
import type { Command } from './clients.ts';

// Absolute, since a PML starts in its home. The package as it is published, unless another program is named.
const PROGRAM = resolve(
  process.env.PML_BENCH_PROGRAM ?? fileURLToPath(new URL('../../build/package/bin/pml.js', import.meta.url)),
);
if (process.env.PML_BENCH_PROGRAM === undefined) await buildPackage();

/** The line in which `pml up` prints its address. */
export const LISTENING = /MCP gateway\s+(\S+)/;

/** A PML with a home of its own, which is deleted with it. */
export class Home {
  readonly dir = mkdtempSync(join(tmpdir(), 'pml-bench-'));
  readonly env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: this.dir,
    PML_HOME: join(this.dir, 'home'),
    PML_IDLE_SECONDS: '120',
    // Benches need the daemon as soon as `initialize` is answered.
    PML_FIRST_ANSWERS: 'wait',
  };

  constructor(servers: Record<string, object>, settings: object = {}) {
    this.configure(servers, settings);
  }

  configure(servers: Record<string, object>, settings: object = {}): void {
    const file = join(this.dir, 'pml.json');
    writeFileSync(file, JSON.stringify({ ...settings, mcpServers: servers }));
    trustFile(join(this.dir, 'home'), file);
  }

  command(...args: string[]): Command {
    return { command: process.execPath, args: [PROGRAM, ...args], env: this.env, cwd: this.dir };
  }

  /** Starts `pml up`; its address is the first match. */
  up(): Promise<Started> {
    return start(this.command('up', '--port', '0'), LISTENING);
  }

  /** Runs a command to its end and returns what it printed. */
  async output(...args: string[]): Promise<string> {
    const { command, args: all, env, cwd } = this.command(...args);
    return (await promisify(execFile)(command, all, { env: env ?? {}, cwd })).stdout;
  }

  /** Stops the daemon, if one runs. */
  async down(): Promise<void> {
    const { command, args, env, cwd } = this.command('down');
    await exited(spawn(command, args, { env, cwd, stdio: 'ignore' }));
  }

  async close(): Promise<void> {
    await this.down();
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface Started {
  found: string[];
  pid: number;
  stop: () => Promise<void>;
}

/** Starts a program, waits for lines that match, and returns the groups of the patterns. */
export function start({ command, args, env, cwd }: Command, ...patterns: RegExp[]): Promise<Started> {
  const child = spawn(command, args, { env: env ?? {}, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = exited(child);
  const stop = () => {
    child.kill('SIGTERM');
    return gone;
  };
  const found: string[] = [];
  return new Promise((resolve, reject) => {
    const read = (line: string) => {
      for (const [index, pattern] of patterns.entries()) found[index] ??= pattern.exec(line)?.[1] as string;
      if (patterns.every((_, index) => found[index])) resolve({ found, pid: child.pid as number, stop });
    };
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', read);
    void gone.then(() => reject(new Error(`${args.join(' ')} ended with ${child.exitCode}`)));
  });
}

export function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('close', () => resolve()));
}
