import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '../log.ts';
import { sourceFile } from '../package-files.js';
import { processOf } from './process-table.js';

const PROGRAM = fileURLToPath(sourceFile('reaper/main.js'));
// If the reaper's process ends, it is started again a few times.
const RESTART_MS = 1000;
const MAX_STARTS = 10;

/**
 * Ends the servers if this process dies before it could. A server notices by the end of its stdin and may ignore it, so a
 * second process knows all servers, notices the death in the same way, and ends them.
 */
export class Reaper {
  readonly #log: Log;
  /** The start time of each process group's leader, by its pid. */
  readonly #groups = new Map<number, string>();
  #process: ChildProcess | undefined;
  #starts = 0;
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Watches over the process group of this leader. Returns a function that stops this. */
  watch(leader: number): () => void {
    // Windows has no process groups.
    if (process.platform === 'win32' || this.#closed) return () => {};
    // Read now, before the pid can belong to another process.
    const start = process.platform === 'linux' ? (processOf(leader)?.start ?? '') : '';
    this.#groups.set(leader, start);
    if (this.#process) this.#tell(`+ ${leader} ${start}`);
    else this.#start();
    return () => {
      this.#groups.delete(leader);
      this.#tell(`- ${leader}`);
    };
  }

  close(): void {
    this.#closed = true;
    this.#process?.stdin?.end();
  }

  #start(): void {
    if (this.#closed || this.#starts >= MAX_STARTS) return;
    this.#starts += 1;
    const { PATH = '', HOME = '' } = process.env;
    // As arguments, so that the reaper knows these servers even if this process is killed before it can write a line.
    const known = Array.from(this.#groups, ([leader, start]) => `${leader}:${start}`);
    const child = spawn(process.execPath, [PROGRAM, ...known], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH, HOME },
      detached: true,
    });
    this.#process = child;
    child.on('error', (error) =>
      this.#log.warn(`the reaper did not start, so servers may outlive a killed daemon: ${error.message}`),
    );
    child.stdin.on('error', () => {});
    child.once('exit', () => {
      this.#process = undefined;
      if (!this.#closed) setTimeout(() => this.#restart(), RESTART_MS).unref();
    });
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
  }

  #restart(): void {
    if (!this.#process && this.#groups.size > 0) this.#start();
  }

  #tell(line: string): void {
    this.#process?.stdin?.write(`${line}\n`);
  }
}
