import type { Failure, FromChild } from '../protocol.ts';
import { cpuMs, type RunState } from './run-state.ts';

const TICK_MS = 20;
const MB = 1024 * 1024;
/** How long V8 may take to stop a guest whose run is over, before the child kills itself. */
const STOP_MS = 500;
/** After this time the child reports that the run has begun, so that the host knows that it responds. */
const BEGUN_MS = 200;
/** How long a child that reported a failure waits to be killed by the host before it kills itself. */
const KILLED_MS = 1_000;

/**
 * Watches the guest's turns from a thread of its own, since the guest computes in the main thread. Reports a turn that
 * computes too long, and memory beyond the isolate's limit: V8 lets an isolate use a gigabyte more before it ends it. It
 * measures processor time, that of the whole process, which has one run only: on a busy machine wall-clock time would
 * blame a guest for others' work.
 */
export class TurnWatchdog {
  readonly #state: RunState;
  readonly #send: (head: FromChild) => void;
  readonly #die: () => void;
  readonly #host = process.ppid;
  #run = 0;
  #since = 0;
  #hasBegun = false;
  #endedAt: number | undefined;

  constructor(state: RunState, send: (head: FromChild) => void, die: () => void) {
    this.#state = state;
    this.#send = send;
    this.#die = die;
  }

  watch(): never {
    for (;;) {
      if (this.#state.run === 0) this.#state.sleepUntilRun();
      this.#check(performance.now());
      this.#state.sleep(TICK_MS);
    }
  }

  #check(now: number): void {
    const { run } = this.#state;
    if (run !== this.#run) {
      this.#run = run;
      this.#since = now;
      this.#hasBegun = false;
      this.#endedAt = undefined;
    }
    if (run === 0) return;
    if (this.#state.isInTurn && process.ppid !== this.#host) this.#die();
    if (this.#state.hasEnded) this.#checkStop(run, now);
    else {
      if (now - this.#since >= BEGUN_MS && !this.#hasBegun) this.#reportBegun(run);
      if (this.#state.isInTurn) this.#checkTurn(run);
    }
  }

  /** Counts `STOP_MS` from when the outcome is written: writing a large one takes as long as the host needs to read it. */
  #checkStop(run: number, now: number): void {
    if (!this.#state.tryLock()) return;
    this.#state.unlock();
    this.#endedAt ??= now;
    // The next run may have begun since: the turn is then its own.
    if (this.#state.isInTurn && now - this.#endedAt > STOP_MS && this.#state.run === run) this.#die();
  }

  #reportBegun(run: number): void {
    if (!this.#state.tryLock()) return;
    this.#hasBegun = true;
    if (this.#state.run === run && !this.#state.hasEnded) this.#send({ type: 'begun', run });
    this.#state.unlock();
  }

  #checkTurn(run: number): void {
    const { turnCpuMs, memoryMb, maxRssMb } = this.#state.limits;
    if (cpuMs() - this.#state.cpuAtTurn > turnCpuMs) {
      const message = `The code computed for ${turnCpuMs} ms without a pause.`;
      this.#fail(run, { kind: 'timeout', message });
    } else if (process.memoryUsage.rss() > maxRssMb * MB) {
      this.#fail(run, { kind: 'memory', message: `The code used more than ${memoryMb} MB of memory.` });
    }
  }

  /** Ends the run, and keeps the lock: nothing may follow the outcome. */
  #fail(run: number, failure: Failure): void {
    if (!this.#state.tryLock()) return;
    if (this.#state.run === run && !this.#state.hasEnded) {
      this.#state.markEnded();
      this.#send({ type: 'end', run, failure });
      this.#state.sleep(KILLED_MS);
      this.#die();
    }
    this.#state.unlock();
  }
}
