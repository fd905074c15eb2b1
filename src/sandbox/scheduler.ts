import { PmlError } from '../errors.ts';
import type { QueuedRun, RunOwner } from './depth-queue.ts';
import { FairQueue } from './fair-queue.ts';
import type { HostJob } from './host-job.ts';
import { HostReplay, type ReplayOutcome } from './host-replay.ts';
import { HostRun, type RunRequest } from './host-run.ts';
import type { Outcome } from './outcome.ts';
import { type PooledProcess, ProcessPool, type ProcessPoolSize, type ProcessState } from './process-pool.ts';
import type { ReplayLimits, ReplayRequest } from './replay-request.ts';

export interface SchedulerSize extends ProcessPoolSize {
  /** Runs at one time, for each depth of nesting. A session without a run may start one beyond that. */
  processes: number;
  /** The memory limit of the first isolates; later ones get that of the run before. */
  memoryMb: number;
  /** When the warm processes start, unless a run needs them earlier. */
  warmAfterMs: number;
  /** After a run of this length more than one process is kept warm, so that the next run need not wait for it. */
  longRunMs: number;
}

export interface Stats {
  processes: { pid: number | undefined; state: ProcessState; runs: number }[];
  /** Runs that wait for a process. */
  queued: number;
  /** Runs since the start. */
  runs: number;
  /** Processes started, and those killed because of what a run did or because they did not respond. */
  started: number;
  killed: number;
}

/** V8 cannot make an isolate with less. */
const MIN_MEMORY_MB = 8;
/** How many silent processes a run gives up on. After that the machine must be slow: the run waits for the next one. */
const MAX_SILENT = 2;

interface ScheduledRun extends QueuedRun {
  readonly job: HostJob;
  reject(error: PmlError): void;
  /** The run has a place, and gets a process as soon as one is ready. */
  admitted: boolean;
  process: PooledProcess | undefined;
  /** How many processes did not respond when they were given the run. */
  silent: number;
  /** Notices that the run lasts long. */
  longTimer: NodeJS.Timeout | undefined;
}

/** Gives runs to processes. Each run has a process to itself, so its effects on the process hurt no other run. */
export class Scheduler {
  readonly #pool: ProcessPool;
  readonly #queue: FairQueue<ScheduledRun>;
  readonly #warm: number;
  readonly #longRunMs: number;
  /** Runs that have a place and wait for a process to be ready. */
  readonly #admitted: ScheduledRun[] = [];
  /** How many runs each principal has in processes. */
  readonly #inProcess = new Map<string, number>();
  readonly #open = new Set<ScheduledRun>();
  #runs = 0;
  #memoryMb: number;
  /** Whether processes are kept ready for runs to come. */
  #isWarm = false;
  /** Whether one warm process proved too few: a run waited for a process, lasted long, or had its process killed. */
  #hasOverlap = false;
  readonly #warmTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ processes, memoryMb, warmAfterMs, longRunMs, ...size }: SchedulerSize) {
    this.#memoryMb = memoryMb;
    this.#longRunMs = longRunMs;
    this.#queue = new FairQueue(processes);
    this.#warm = size.warm;
    this.#pool = new ProcessPool(size, {
      changed: () => this.#advance(),
      failed: (why) => this.#rejectAll(why),
    });
    if (warmAfterMs === 0) this.#warmUp();
    else this.#warmTimer = setTimeout(() => this.#warmUp(), warmAfterMs).unref();
  }

  run(request: RunRequest, depth: number, owner: RunOwner): Promise<Outcome> {
    const memoryMb = Math.max(request.limits.memoryMb, MIN_MEMORY_MB);
    const limits = { ...request.limits, memoryMb };
    this.#runs += 1;
    this.#memoryMb = memoryMb;
    return this.#schedule(
      depth,
      owner,
      request.signal,
      (onEnd) => new HostRun({ ...request, limits }, onEnd),
    );
  }

  /** Replays have the memory limit of the last run, for which processes have isolates ready. */
  replay(
    request: ReplayRequest,
    limits: ReplayLimits,
    owner: RunOwner,
    signal: AbortSignal | undefined,
  ): Promise<ReplayOutcome> {
    const withMemory = { ...limits, memoryMb: this.#memoryMb };
    return this.#schedule(0, owner, signal, (onEnd) => new HostReplay(request, withMemory, signal, onEnd));
  }

  #schedule<Result>(
    depth: number,
    owner: RunOwner,
    signal: AbortSignal | undefined,
    make: (onEnd: (result: Result, mustKill: boolean) => void) => HostJob,
  ): Promise<Result> {
    this.#isWarm = true;
    return new Promise((resolve, reject) => {
      const job = make((result, mustKill) => {
        this.#leave(run, mustKill);
        this.#advance();
        resolve(result);
      });
      const unscheduled = { admitted: false, process: undefined, silent: 0, longTimer: undefined };
      const run: ScheduledRun = { ...unscheduled, job, reject, depth, owner, bytes: job.bytes };
      this.#open.add(run);
      this.#queue.add(run);
      if (this.#closed) job.fail('cancelled', 'The sandbox is closed.');
      else if (signal?.aborted) job.fail('cancelled', 'The run was cancelled.');
      else if (job.refusal) job.fail('limit', job.refusal);
      else if (this.#queue.isCrowded(run)) job.fail('limit', TOO_MANY_WAITING);
      else this.#advance();
    });
  }

  /** Changes how many runs go on at one time. Runs that have started are not stopped. */
  resize(processes: number): void {
    this.#queue.resize(processes);
    this.#advance();
  }

  stats(): Stats {
    const queued = this.#queue.waiting + this.#admitted.length;
    return { processes: this.#pool.list(), queued, runs: this.#runs, ...this.#pool.counts };
  }

  /** Ends all runs and all processes. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#warmTimer);
    for (const { job } of this.#open) job.fail('cancelled', 'The sandbox is closing.');
    await this.#pool.close();
  }

  /** Takes out a run that is over, wherever it was. */
  #leave(run: ScheduledRun, mustKill: boolean): void {
    this.#open.delete(run);
    if (run.admitted) this.#queue.release(run);
    else this.#queue.remove(run);
    if (run.process) this.#giveBack(run, run.process, mustKill);
    else if (run.admitted) this.#admitted.splice(this.#admitted.indexOf(run), 1);
  }

  /** Admits runs, gives them processes, and starts the processes that are missing. */
  #advance(): void {
    if (this.#closed) return;
    for (let next = this.#queue.admit(); next; next = this.#queue.admit()) {
      next.admitted = true;
      this.#admitted.push(next);
    }
    while (this.#admitted.length > 0) {
      const process = this.#pool.take();
      if (!process) break;
      this.#dispatch(this.#takeNext(), process);
    }
    if (this.#admitted.length > 0 && this.#pool.hasRun) this.#hasOverlap = true;
    // While runs wait for places, one process is kept ready for a newcomer: starting one then takes long.
    const spare = this.#queue.waiting > 0 ? 1 : 0;
    this.#pool.start(this.#admitted.length, spare, this.#warmNow(), this.#memoryMb);
  }

  /** How many processes stay warm. One will do until runs overlap: many who start PML run little code, and none at once. */
  #warmNow(): number {
    if (!this.#isWarm) return 0;
    return this.#hasOverlap ? this.#warm : Math.min(1, this.#warm);
  }

  #noteLongRun(): void {
    this.#hasOverlap = true;
    this.#advance();
  }

  #warmUp(): void {
    this.#isWarm = true;
    this.#advance();
  }

  /** Takes the admitted run whose principal has the fewest runs in processes, so that it need not wait while others start. */
  #takeNext(): ScheduledRun {
    const inProcess = ({ owner }: ScheduledRun) => this.#inProcess.get(owner.principal) ?? 0;
    let first = this.#admitted[0] as ScheduledRun;
    for (const one of this.#admitted) if (inProcess(one) < inProcess(first)) first = one;
    this.#admitted.splice(this.#admitted.indexOf(first), 1);
    return first;
  }

  #count({ owner }: ScheduledRun, change: 1 | -1): void {
    const count = (this.#inProcess.get(owner.principal) ?? 0) + change;
    if (count > 0) this.#inProcess.set(owner.principal, count);
    else this.#inProcess.delete(owner.principal);
  }

  #dispatch(run: ScheduledRun, pooled: PooledProcess): void {
    run.process = pooled;
    this.#count(run, 1);
    if (!this.#hasOverlap) run.longTimer = setTimeout(() => this.#noteLongRun(), this.#longRunMs).unref();
    const onSilent = () => this.#restart(run, pooled);
    run.job.begin(pooled.process, run.silent < MAX_SILENT ? onSilent : undefined);
  }

  /** Starts the run in another process: this one does not respond, so it was stopped while it was idle. */
  #restart(run: ScheduledRun, pooled: PooledProcess): void {
    this.#giveBack(run, pooled, true);
    run.silent += 1;
    this.#admitted.unshift(run);
    this.#advance();
  }

  #giveBack(run: ScheduledRun, pooled: PooledProcess, mustKill: boolean): void {
    run.process = undefined;
    clearTimeout(run.longTimer);
    this.#hasOverlap ||= mustKill;
    this.#count(run, -1);
    this.#pool.giveBack(pooled, mustKill);
  }

  #rejectAll(why: string): void {
    const error = new PmlError('internal', `The sandbox cannot start: ${why}`);
    for (const run of this.#open) {
      if (run.process) continue;
      this.#leave(run, false);
      run.job.abandon();
      run.reject(error);
    }
  }
}

const TOO_MANY_WAITING =
  'Too many of your runs wait for a free sandbox: wait until some have ended, or do more in each run.';
