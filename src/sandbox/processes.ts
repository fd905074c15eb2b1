import { type Exit, SandboxProcess } from './process.ts';
import type { FromChild } from './protocol.ts';

export interface ProcessesSize {
  /** Processes that stay when there is nothing to do. */
  warm: number;
  /** A process is replaced after this many runs. */
  runsPerProcess: number;
  /** A process beyond the warm ones ends when it had nothing to do for so long. */
  idleMs: number;
}

/** Starting also means: between two runs, making the next isolate. */
export type State = 'starting' | 'ready' | 'busy';

export interface Member {
  process: SandboxProcess;
  state: State;
  runs: number;
  /** Ends a process that has nothing to do, or that does not get ready. */
  timer: NodeJS.Timeout | undefined;
}

export interface ProcessesListener {
  /** A process is ready, or one is missing that was not running anything. */
  changed(): void;
  /** A process has ended before it was ready for the first time. */
  failed(why: string): void;
}

/** A process that takes longer to make an isolate, even on a busy machine, is stopped or stuck. */
const START_MS = 15_000;
/**
 * The host answers everybody, a child one run: so the host has the processor first. A child makes the threads of its
 * guests when it runs them. Until then it need not be held up that much, since a run waits for it.
 */
const NICE_START = 5;
const NICE_RUN = 10;
const SILENT = { frame: () => {}, exit: () => {} };

/** The processes of a pool, from their start to their end. */
export class Processes {
  readonly #size: ProcessesSize;
  readonly #listener: ProcessesListener;
  readonly #members = new Set<Member>();
  /** Those that have not ended, killed ones too. */
  readonly #alive = new Set<SandboxProcess>();
  #next: NodeJS.Immediate | undefined;
  #started = 0;
  #killed = 0;

  constructor(size: ProcessesSize, listener: ProcessesListener) {
    this.#size = size;
    this.#listener = listener;
  }

  get counts(): { started: number; killed: number } {
    return { started: this.#started, killed: this.#killed };
  }

  list(): { pid: number | undefined; state: State; runs: number }[] {
    return [...this.#members].map(({ process, state, runs }) => ({ pid: process.pid, state, runs }));
  }

  /** A ready process for a run, which has it until it gives it back. */
  take(): Member | undefined {
    for (const member of this.#members) {
      if (member.state !== 'ready') continue;
      clearTimeout(member.timer);
      member.state = 'busy';
      member.runs += 1;
      return member;
    }
    return undefined;
  }

  /** Starts a process if one is missing: for runs that need one now, to spare, or to stay warm. */
  start(needed: number, spare: number, memoryMb: number): void {
    let starting = 0;
    let ready = 0;
    for (const { state } of this.#members) {
      if (state === 'starting') starting += 1;
      else if (state === 'ready') ready += 1;
    }
    const isShort = starting < needed || starting + ready < needed + spare;
    if (!isShort && this.#members.size >= this.#size.warm) return;
    this.#add(memoryMb);
    // To start a process holds up the host, on a busy machine for long: others have their turn before the next.
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#listener.changed();
    });
  }

  /** A run is over. A process that it spoiled is killed. */
  giveBack(member: Member, spoiled: boolean): void {
    if (spoiled) this.#killed += 1;
    if (spoiled || member.runs >= this.#size.runsPerProcess) this.#remove(member);
    else this.#await(member);
  }

  /** Kills them all, and waits until they are gone. */
  async close(): Promise<void> {
    clearImmediate(this.#next);
    for (const member of this.#members) this.#remove(member);
    await Promise.all([...this.#alive].map((process) => process.end()));
  }

  #add(memoryMb: number): void {
    this.#started += 1;
    const process = new SandboxProcess(memoryMb, SILENT);
    process.yield(NICE_START);
    this.#alive.add(process);
    void process.exited.then(() => this.#alive.delete(process));
    const member: Member = { process, state: 'starting', runs: 0, timer: undefined };
    this.#members.add(member);
    this.#await(member);
  }

  /** Waits for the process to say that it has an isolate. */
  #await(member: Member): void {
    member.state = 'starting';
    // A host that was busy itself must read first what the child has said meanwhile.
    member.timer = setTimeout(() => setImmediate(() => this.#giveUp(member)), START_MS).unref();
    const frame = ({ head }: { head: FromChild }) => {
      if (head.type !== 'ready' || member.state !== 'starting') throw new Error(`unexpected ${head.type}`);
      clearTimeout(member.timer);
      if (member.runs === 0) member.process.yield(NICE_RUN);
      member.state = 'ready';
      member.timer = setTimeout(() => this.#retire(member), this.#size.idleMs).unref();
      this.#listener.changed();
    };
    member.process.listen({ frame, exit: (exit) => this.#lose(member, exit) }, 0);
  }

  #giveUp(member: Member): void {
    if (member.state !== 'starting' || !this.#members.has(member)) return;
    this.#killed += 1;
    this.#remove(member);
    this.#listener.changed();
  }

  #retire(member: Member): void {
    if (this.#members.size > this.#size.warm) this.#remove(member);
  }

  #remove(member: Member): void {
    clearTimeout(member.timer);
    this.#members.delete(member);
    member.process.listen(SILENT, 0);
    member.process.kill();
  }

  /** A process that was not running anything has ended. */
  #lose(member: Member, exit: Exit): void {
    this.#remove(member);
    if (member.runs > 0 || member.state === 'ready') this.#listener.changed();
    // One that cannot even start would not at the next try either: tell, and wait for the next run.
    else this.#listener.failed(exit.stderr.trim() || `it ended with ${exit.signal ?? `code ${exit.code}`}`);
  }
}
