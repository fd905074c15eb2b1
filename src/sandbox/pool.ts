import { PmlError } from '../errors.ts';
import { FairQueue } from './fair-queue.ts';
import type { Share, Ticket } from './lane.ts';
import type { Outcome } from './outcome.ts';
import { type Member, Processes, type ProcessesSize, type State } from './processes.ts';
import { HostRun, type Request } from './run.ts';

export interface PoolSize extends ProcessesSize {
  /** Runs at one time, for each depth of nesting. Sessions that have none may go beyond. */
  processes: number;
  /** What the first isolates are made for; later ones follow the run before. */
  memoryMb: number;
}

export interface Stats {
  processes: { pid: number | undefined; state: State; runs: number }[];
  /** Runs that wait for a process. */
  queued: number;
  /** Runs since the start. */
  runs: number;
  /** Processes that were started, and that were killed because of what a run did or because they said nothing. */
  started: number;
  killed: number;
}

/** Less, and V8 cannot make an isolate. */
const MIN_MEMORY_MB = 8;
/** Processes that may say nothing when given a run. More, and it is the machine that is slow: the next one is waited for. */
const MAX_SILENT = 2;

interface Waiting extends Ticket {
  readonly run: HostRun;
  refuse(error: PmlError): void;
  /** Has a place, and a process as soon as one is ready. */
  admitted: boolean;
  member: Member | undefined;
  /** Processes that said nothing when they were given the run. */
  silent: number;
}

/** Gives runs to processes. A run has its process for itself: what it does to it, no other feels. */
export class Pool {
  readonly #processes: Processes;
  readonly #queue: FairQueue<Waiting>;
  /** Runs that have a place and wait for a process to be ready. */
  readonly #admitted: Waiting[] = [];
  /** Runs that have a process, by principal. */
  readonly #inProcess = new Map<string, number>();
  readonly #open = new Set<Waiting>();
  #runs = 0;
  #memoryMb: number;
  #closed = false;

  constructor({ processes, memoryMb, ...size }: PoolSize) {
    this.#memoryMb = memoryMb;
    this.#queue = new FairQueue(processes);
    this.#processes = new Processes(size, {
      changed: () => this.#advance(),
      failed: (why) => this.#refuseAll(why),
    });
    this.#advance();
  }

  run(asked: Request, depth: number, share: Share): Promise<Outcome> {
    const memoryMb = Math.max(asked.limits.memoryMb, MIN_MEMORY_MB);
    const request = { ...asked, limits: { ...asked.limits, memoryMb } };
    this.#runs += 1;
    this.#memoryMb = memoryMb;
    return new Promise((resolve, refuse) => {
      const run = new HostRun(request, (outcome, spoiled) => {
        this.#leave(waiting, spoiled);
        this.#advance();
        resolve(outcome);
      });
      const none = { admitted: false, member: undefined, silent: 0 };
      const waiting: Waiting = { ...none, run, refuse, depth, share, bytes: run.bytes };
      this.#open.add(waiting);
      this.#queue.add(waiting);
      if (this.#closed) run.fail('cancelled', 'The sandbox is closed.');
      else if (request.signal?.aborted) run.fail('cancelled', 'The run was cancelled.');
      else if (run.refusal) run.fail('limit', run.refusal);
      else if (this.#queue.isCrowded(waiting)) run.fail('limit', CROWDED);
      else this.#advance();
    });
  }

  /** Changes how many runs go on at one time. Those under way go on. */
  resize(processes: number): void {
    this.#queue.resize(processes);
    this.#advance();
  }

  stats(): Stats {
    const queued = this.#queue.waiting + this.#admitted.length;
    return { processes: this.#processes.list(), queued, runs: this.#runs, ...this.#processes.counts };
  }

  /** Ends all runs and all processes. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { run } of this.#open) run.fail('cancelled', 'The sandbox is closing.');
    await this.#processes.close();
  }

  /** A run is over, wherever it was. */
  #leave(waiting: Waiting, spoiled: boolean): void {
    this.#open.delete(waiting);
    if (waiting.admitted) this.#queue.release(waiting);
    else this.#queue.remove(waiting);
    if (waiting.member) this.#giveBack(waiting, waiting.member, spoiled);
    else if (waiting.admitted) this.#admitted.splice(this.#admitted.indexOf(waiting), 1);
  }

  /** Gives places to runs and processes to those, and starts the processes that are missing. */
  #advance(): void {
    if (this.#closed) return;
    for (let next = this.#queue.admit(); next; next = this.#queue.admit()) {
      next.admitted = true;
      this.#admitted.push(next);
    }
    while (this.#admitted.length > 0) {
      const member = this.#processes.take();
      if (!member) break;
      this.#dispatch(this.#pick(), member);
    }
    // While runs wait for places, a process is kept for the newcomer who need not: starting one takes long then.
    const spare = this.#queue.waiting > 0 ? 1 : 0;
    this.#processes.start(this.#admitted.length, spare, this.#memoryMb);
  }

  /** Of the runs that have a place, one whose principal has the fewest in processes: while these start, it is not kept waiting. */
  #pick(): Waiting {
    const inProcess = ({ share }: Waiting) => this.#inProcess.get(share.principal) ?? 0;
    let first = this.#admitted[0] as Waiting;
    for (const one of this.#admitted) if (inProcess(one) < inProcess(first)) first = one;
    this.#admitted.splice(this.#admitted.indexOf(first), 1);
    return first;
  }

  #count({ share }: Waiting, change: 1 | -1): void {
    const count = (this.#inProcess.get(share.principal) ?? 0) + change;
    if (count > 0) this.#inProcess.set(share.principal, count);
    else this.#inProcess.delete(share.principal);
  }

  #dispatch(waiting: Waiting, member: Member): void {
    waiting.member = member;
    this.#count(waiting, 1);
    const onSilent = () => this.#handOver(waiting, member);
    waiting.run.begin(member.process, waiting.silent < MAX_SILENT ? onSilent : undefined);
  }

  /** The process says nothing: it was stopped while it had nothing to do. The run begins in another. */
  #handOver(waiting: Waiting, member: Member): void {
    this.#giveBack(waiting, member, true);
    waiting.silent += 1;
    this.#admitted.unshift(waiting);
    this.#advance();
  }

  #giveBack(waiting: Waiting, member: Member, spoiled: boolean): void {
    waiting.member = undefined;
    this.#count(waiting, -1);
    this.#processes.giveBack(member, spoiled);
  }

  #refuseAll(why: string): void {
    const error = new PmlError('internal', `The sandbox cannot start: ${why}`);
    for (const waiting of this.#open) {
      if (waiting.member) continue;
      this.#leave(waiting, false);
      waiting.run.abandon();
      waiting.refuse(error);
    }
  }
}

const CROWDED =
  'Too many runs of yours wait for a free sandbox: start no more before some have ended, or do more in each.';
