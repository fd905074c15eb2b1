import { messageOf } from '../errors.ts';
import type { FromChild } from './protocol.ts';
import { type Exit, SandboxProcess } from './sandbox-process.ts';

export interface ProcessPoolSize {
  /** Processes that stay when there is nothing to do. */
  warm: number;
  /** A process is replaced after this many runs. */
  runsPerProcess: number;
  /** A process beyond the warm ones ends after this idle time. */
  idleMs: number;
}

/** A process is also `starting` between two runs, while it makes the next isolate. */
export type ProcessState = 'starting' | 'ready' | 'busy';

export interface PooledProcess {
  process: SandboxProcess;
  state: ProcessState;
  runs: number;
  /** Ends a process that is idle, or that does not get ready. */
  timer: NodeJS.Timeout | undefined;
}

export interface ProcessPoolListener {
  /** A process is ready, or one that ran nothing has ended. */
  changed(): void;
  /** No process could be made, or one has ended before it was ready for the first time. */
  failed(why: string): void;
}

/** A process that takes longer to make an isolate, even on a busy machine, is stopped or stuck. */
const START_MS = 15_000;
/**
 * The host serves everybody, a child one run, so the host gets the processor first. A child creates the threads of its
 * guests when it runs them. Until then it gets more of the processor, since a run waits for it.
 */
const NICENESS_STARTING = 5;
const NICENESS_RUNNING = 10;
const IGNORE = { frame: () => {}, exit: () => {} };

/** Starts, keeps and ends the sandbox processes. */
export class ProcessPool {
  readonly #size: ProcessPoolSize;
  readonly #listener: ProcessPoolListener;
  readonly #pooled = new Set<PooledProcess>();
  /** All processes that have not ended yet, killed ones too. */
  readonly #alive = new Set<SandboxProcess>();
  #nextStart: NodeJS.Immediate | undefined;
  #started = 0;
  #killed = 0;

  constructor(size: ProcessPoolSize, listener: ProcessPoolListener) {
    this.#size = size;
    this.#listener = listener;
  }

  get counts(): { started: number; killed: number } {
    return { started: this.#started, killed: this.#killed };
  }

  /** Whether a process has had a run, so that one that is not ready now will be soon. */
  get hasRun(): boolean {
    return [...this.#pooled].some(({ runs }) => runs > 0);
  }

  list(): { pid: number | undefined; state: ProcessState; runs: number }[] {
    return [...this.#pooled].map(({ process, state, runs }) => ({ pid: process.pid, state, runs }));
  }

  /** Takes a ready process for a run, until it is given back. */
  take(): PooledProcess | undefined {
    for (const pooled of this.#pooled) {
      if (pooled.state !== 'ready') continue;
      clearTimeout(pooled.timer);
      pooled.state = 'busy';
      pooled.runs += 1;
      return pooled;
    }
    return undefined;
  }

  /** Starts one process if there are too few for the `needed` runs and `spare` more, or fewer than `warm` in all. */
  start(needed: number, spare: number, warm: number, memoryMb: number): void {
    let starting = 0;
    let ready = 0;
    for (const { state } of this.#pooled) {
      if (state === 'starting') starting += 1;
      else if (state === 'ready') ready += 1;
    }
    const isShort = starting < needed || starting + ready < needed + spare;
    if (!isShort && this.#pooled.size >= warm) return;
    if (!this.#add(memoryMb)) return;
    // Starting a process blocks the host, on a busy machine for long: other work gets a turn before the next start.
    this.#nextStart ??= setImmediate(() => {
      this.#nextStart = undefined;
      this.#listener.changed();
    });
  }

  /** Takes a process back after a run, or kills it. */
  giveBack(pooled: PooledProcess, mustKill: boolean): void {
    if (mustKill) this.#killed += 1;
    if (mustKill || pooled.runs >= this.#size.runsPerProcess) this.#remove(pooled);
    else this.#awaitReady(pooled);
  }

  /** Kills all processes, and waits until they are gone. */
  async close(): Promise<void> {
    clearImmediate(this.#nextStart);
    for (const pooled of this.#pooled) this.#remove(pooled);
    await Promise.all([...this.#alive].map((process) => process.end()));
  }

  /** Returns whether a process could be made. */
  #add(memoryMb: number): boolean {
    let process: SandboxProcess;
    try {
      process = new SandboxProcess(memoryMb, IGNORE);
    } catch (error) {
      // Runs can wait for a process that is busy now.
      if (this.#pooled.size === 0) this.#listener.failed(messageOf(error));
      return false;
    }
    this.#started += 1;
    process.setNiceness(NICENESS_STARTING);
    this.#alive.add(process);
    void process.exited.then(() => this.#alive.delete(process));
    const pooled: PooledProcess = { process, state: 'starting', runs: 0, timer: undefined };
    this.#pooled.add(pooled);
    this.#awaitReady(pooled);
    return true;
  }

  /** Waits for the process to say that it has an isolate. */
  #awaitReady(pooled: PooledProcess): void {
    pooled.state = 'starting';
    // After a busy turn of its own, the host first reads what the child has said meanwhile.
    pooled.timer = setTimeout(() => setImmediate(() => this.#giveUp(pooled)), START_MS).unref();
    const frame = ({ head }: { head: FromChild }) => {
      if (head.type !== 'ready' || pooled.state !== 'starting') throw new Error(`unexpected ${head.type}`);
      clearTimeout(pooled.timer);
      if (pooled.runs === 0) pooled.process.setNiceness(NICENESS_RUNNING);
      pooled.state = 'ready';
      pooled.timer = setTimeout(() => this.#endIdle(pooled), this.#size.idleMs).unref();
      this.#listener.changed();
    };
    pooled.process.listen({ frame, exit: (exit) => this.#onExit(pooled, exit) }, 0);
  }

  #giveUp(pooled: PooledProcess): void {
    if (pooled.state !== 'starting' || !this.#pooled.has(pooled)) return;
    this.#killed += 1;
    this.#remove(pooled);
    this.#listener.changed();
  }

  #endIdle(pooled: PooledProcess): void {
    if (this.#pooled.size > this.#size.warm) this.#remove(pooled);
  }

  #remove(pooled: PooledProcess): void {
    clearTimeout(pooled.timer);
    this.#pooled.delete(pooled);
    pooled.process.listen(IGNORE, 0);
    pooled.process.kill();
  }

  /** Handles the exit of a process that was not running anything. */
  #onExit(pooled: PooledProcess, exit: Exit): void {
    this.#remove(pooled);
    if (pooled.runs > 0 || pooled.state === 'ready') this.#listener.changed();
    // A process that cannot start would fail again at once, so the pool waits for the next run before it retries.
    else this.#listener.failed(exit.stderr.trim() || `it ended with ${exit.signal ?? `code ${exit.code}`}`);
  }
}
