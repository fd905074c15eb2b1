import type { Limits } from '../protocol.ts';

// hardenChild removes the global.
const { compareExchange, load, notify, store, wait } = Atomics;

const WRITE_LOCK = 0;
const IS_WATCHED = 1;
const RUN = 2;
const HAS_ENDED = 3;
const IS_IN_TURN = 4;
const CPU_AT_TURN = 5;
const TURN_CPU_MS = 6;
const MEMORY_MB = 7;
const MAX_RSS_MB = 8;
const CELLS = 9;

type TurnLimits = Pick<Limits, 'turnCpuMs' | 'memoryMb'>;

/** The run under way, in memory that the child's main thread shares with its watchdog. */
export class RunState {
  readonly cells: Int32Array<SharedArrayBuffer>;

  constructor(cells = new Int32Array(new SharedArrayBuffer(4 * CELLS))) {
    this.cells = cells;
  }

  /** The id of the run; 0 between runs. */
  get run(): number {
    return load(this.cells, RUN);
  }

  /** Whether the run's outcome is sent. Its guest may still compute. */
  get hasEnded(): boolean {
    return load(this.cells, HAS_ENDED) === 1;
  }

  /** Whether the guest computes, rather than waits. */
  get isInTurn(): boolean {
    return load(this.cells, IS_IN_TURN) === 1;
  }

  /** Processor time that the process had used when the turn began. */
  get cpuAtTurn(): number {
    return load(this.cells, CPU_AT_TURN);
  }

  get limits(): { turnCpuMs: number; memoryMb: number; maxRssMb: number } {
    const [turnCpuMs, memoryMb, maxRssMb] = [TURN_CPU_MS, MEMORY_MB, MAX_RSS_MB].map((cell) =>
      load(this.cells, cell),
    ) as [number, number, number];
    return { turnCpuMs, memoryMb, maxRssMb };
  }

  /** Announces a run. The watchdog is woken only if it has gone to sleep since the last one. */
  beginRun(run: number, { turnCpuMs, memoryMb }: TurnLimits, maxRssMb: number): void {
    store(this.cells, TURN_CPU_MS, turnCpuMs);
    store(this.cells, MEMORY_MB, memoryMb);
    store(this.cells, MAX_RSS_MB, maxRssMb);
    store(this.cells, HAS_ENDED, 0);
    store(this.cells, RUN, run);
    if (compareExchange(this.cells, IS_WATCHED, 0, 1) === 0) notify(this.cells, IS_WATCHED);
  }

  endRun(): void {
    store(this.cells, RUN, 0);
  }

  beginTurn(): void {
    store(this.cells, CPU_AT_TURN, cpuMs());
    store(this.cells, IS_IN_TURN, 1);
  }

  endTurn(): void {
    store(this.cells, IS_IN_TURN, 0);
  }

  /** Notes that the outcome goes out. Only the thread that holds the lock may. */
  markEnded(): void {
    store(this.cells, HAS_ENDED, 1);
  }

  /** Takes the lock on the output, and waits for it if need be: frames must not mix. */
  lock(): void {
    while (!this.tryLock()) wait(this.cells, WRITE_LOCK, 1);
  }

  tryLock(): boolean {
    return compareExchange(this.cells, WRITE_LOCK, 0, 1) === 0;
  }

  unlock(): void {
    store(this.cells, WRITE_LOCK, 0);
    notify(this.cells, WRITE_LOCK);
  }

  /** Lets the watchdog sleep until a run begins. */
  sleepUntilRun(): void {
    store(this.cells, IS_WATCHED, 0);
    // A run that began just before has not woken anybody.
    if (this.run === 0) wait(this.cells, IS_WATCHED, 0);
    store(this.cells, IS_WATCHED, 1);
  }

  /** Sleeps for a while, in either thread. A run must be under way. */
  sleep(ms: number): void {
    wait(this.cells, IS_WATCHED, 1, ms);
  }
}

/** Processor time of the process, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
