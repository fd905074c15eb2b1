import { PmlError } from '../errors.ts';
import type { Outcome } from './outcome.ts';
import { type Exit, SandboxProcess } from './process.ts';
import type { FromChild } from './protocol.ts';
import { HostRun, type Request } from './run.ts';

export interface PoolSize {
  /** Runs at one time, for each depth of nesting. */
  processes: number;
  /** Processes that stay when there is nothing to do. */
  warm: number;
  /** A process is replaced after this many runs. */
  runsPerProcess: number;
  /** A process beyond the warm ones ends when it had nothing to do for so long. */
  idleMs: number;
  /** What the first isolates are made for; later ones follow the run before. */
  memoryMb: number;
}

export interface Stats {
  /** Starting also means: between two runs, making the next isolate. */
  processes: { pid: number | undefined; state: 'starting' | 'ready' | 'busy'; runs: number }[];
  /** Runs that wait for a process. */
  queued: number;
  /** Runs since the start. */
  runs: number;
  /** Processes that were started, and that were killed because of what a run did. */
  started: number;
  killed: number;
}

/** Less, and V8 cannot make an isolate. */
const MIN_MEMORY_MB = 8;

interface Member {
  process: SandboxProcess;
  state: Stats['processes'][number]['state'];
  runs: number;
  idle: NodeJS.Timeout | undefined;
}

/** Runs of one depth. Nested runs have room of their own, else the runs that wait for them could take it all. */
interface Lane {
  active: number;
  queue: Waiting[];
}

interface Waiting {
  run: HostRun;
  refuse(error: PmlError): void;
  /** Where the run is, once it has a process. */
  member?: Member;
}

const SILENT = { frame: () => {}, exit: () => {} };

/** Processes and the runs that wait for them. A run has its process for itself: what it does to it, no other feels. */
export class Pool {
  #size: PoolSize;
  readonly #members = new Set<Member>();
  readonly #lanes: Lane[] = [];
  readonly #open = new Set<HostRun>();
  readonly #counts = { runs: 0, started: 0, killed: 0 };
  #memoryMb: number;
  #closed = false;

  constructor(size: PoolSize) {
    this.#size = size;
    this.#memoryMb = size.memoryMb;
    this.#advance();
  }

  run(asked: Request, depth: number): Promise<Outcome> {
    const lane = this.#laneOf(depth);
    const memoryMb = Math.max(asked.limits.memoryMb, MIN_MEMORY_MB);
    const request = { ...asked, limits: { ...asked.limits, memoryMb } };
    return new Promise((resolve, reject) => {
      const run = new HostRun(request, (outcome, spoiled) => {
        this.#open.delete(run);
        if (waiting.member) this.#release(waiting.member, lane, spoiled);
        else lane.queue.splice(lane.queue.indexOf(waiting), 1);
        resolve(outcome);
      });
      const waiting: Waiting = { run, refuse: reject };
      this.#open.add(run);
      this.#counts.runs += 1;
      this.#memoryMb = memoryMb;
      lane.queue.push(waiting);
      if (this.#closed) run.fail('cancelled', 'The sandbox is closed.');
      else if (request.signal?.aborted) run.fail('cancelled', 'The run was cancelled.');
      else this.#advance();
    });
  }

  /** Changes how many runs go on at one time. Those under way go on. */
  resize(processes: number): void {
    this.#size = { ...this.#size, processes };
    this.#advance();
  }

  stats(): Stats {
    const processes = [...this.#members].map(({ process, state, runs }) => ({
      pid: process.pid,
      state,
      runs,
    }));
    return {
      processes,
      queued: this.#lanes.reduce((sum, lane) => sum + lane.queue.length, 0),
      ...this.#counts,
    };
  }

  /** Ends all runs and all processes. */
  async close(): Promise<void> {
    this.#closed = true;
    const processes = [...this.#members].map((member) => member.process);
    for (const run of this.#open) run.fail('cancelled', 'The sandbox is closing.');
    for (const member of this.#members) this.#remove(member);
    await Promise.all(processes.map((process) => process.end()));
  }

  #laneOf(depth: number): Lane {
    while (this.#lanes.length <= depth) this.#lanes.push({ active: 0, queue: [] });
    return this.#lanes[depth] as Lane;
  }

  /** Gives runs to processes, and starts what processes are missing. */
  #advance(): void {
    if (this.#closed) return;
    const ready = [...this.#members].filter((member) => member.state === 'ready');
    let missing = 0;
    for (const lane of this.#lanes) {
      while (lane.queue.length > 0 && lane.active < this.#size.processes && ready.length > 0) {
        this.#dispatch(lane, ready.pop() as Member);
      }
      missing += Math.max(0, Math.min(lane.queue.length, this.#size.processes - lane.active));
    }
    for (const { state } of this.#members) if (state === 'starting') missing -= 1;
    for (; missing > 0 || this.#members.size < this.#size.warm; missing -= 1) this.#add();
  }

  #dispatch(lane: Lane, member: Member): void {
    const waiting = lane.queue.shift() as Waiting;
    waiting.member = member;
    lane.active += 1;
    clearTimeout(member.idle);
    member.state = 'busy';
    member.runs += 1;
    waiting.run.begin(member.process);
  }

  #release(member: Member, lane: Lane, spoiled: boolean): void {
    lane.active -= 1;
    if (spoiled) this.#counts.killed += 1;
    if (spoiled || member.runs >= this.#size.runsPerProcess) this.#remove(member);
    else this.#await(member);
    this.#advance();
  }

  #add(): void {
    this.#counts.started += 1;
    const process = new SandboxProcess(this.#memoryMb, SILENT);
    const member: Member = { process, state: 'starting', runs: 0, idle: undefined };
    this.#members.add(member);
    this.#await(member);
  }

  /** Waits for the process to say that it has an isolate. */
  #await(member: Member): void {
    member.state = 'starting';
    const frame = ({ head }: { head: FromChild }) => {
      if (head.type !== 'ready' || member.state !== 'starting') throw new Error(`unexpected ${head.type}`);
      member.state = 'ready';
      member.idle = setTimeout(() => this.#retire(member), this.#size.idleMs).unref();
      this.#advance();
    };
    member.process.listen({ frame, exit: (exit) => this.#lose(member, exit) }, 0);
  }

  #retire(member: Member): void {
    if (this.#members.size > this.#size.warm) this.#remove(member);
  }

  #remove(member: Member): void {
    clearTimeout(member.idle);
    this.#members.delete(member);
    member.process.listen(SILENT, 0);
    member.process.kill();
  }

  /** A process that was not running anything has ended. */
  #lose(member: Member, exit: Exit): void {
    this.#remove(member);
    if (member.runs > 0 || member.state === 'ready') this.#advance();
    // One that cannot even start would not at the next try either: tell, and wait for the next run.
    else this.#refuseAll(exit.stderr.trim() || `it ended with ${exit.signal ?? `code ${exit.code}`}`);
  }

  #refuseAll(why: string): void {
    const error = new PmlError('internal', `The sandbox cannot start: ${why}`);
    for (const lane of this.#lanes) for (const waiting of lane.queue.splice(0)) waiting.refuse(error);
  }
}
