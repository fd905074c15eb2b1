import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { trustFile } from '../../src/config/index.ts';
import type { Command } from './clients.ts';

const PROGRAM = process.env.PML_BENCH_PROGRAM ?? fileURLToPath(new URL('../../bin/pml.js', import.meta.url));

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
  pid: number;
  found: string[];
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
      if (patterns.every((_, index) => found[index])) resolve({ pid: child.pid as number, found, stop });
    };
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', read);
    void gone.then(() => reject(new Error(`${args.join(' ')} ended with ${child.exitCode}`)));
  });
}

export function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('close', () => resolve()));
}
