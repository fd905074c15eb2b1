/** The processor time that one turn of the event loop may take. Every other session waits as long. */
export const LONGEST_TURN_MS = 250;
/** The interval between two checks. Short turns may have filled all of it, so it is subtracted from the time used. */
const CHECK_MS = 50;
const KEPT_NOTES = 5;

/** A turn that took too long, and the work that began in it, newest last. */
export interface LongTurn {
  cpuMs: number;
  work: readonly string[];
}

const notes: string[] = [];

/** Notes what the main thread begins to work on, so that a long turn can be explained. Cheap enough for every call. */
export function noteWork(kind: string, subject = ''): void {
  if (notes.length === KEPT_NOTES) notes.shift();
  notes.push(subject === '' ? kind : `${kind} ${subject.slice(0, 100)}`);
}

/**
 * Measures the processor time of this thread between two checks. Wall-clock time would blame a busy machine: a thread
 * that waits for a core is slow but not at fault.
 */
export class EventLoopWatchdog {
  readonly #onLongTurn: (turn: LongTurn) => void;
  readonly #timer: NodeJS.Timeout;
  #usedMs = threadCpuMs();
  /** Long turns so far. */
  count = 0;

  constructor(onLongTurn: (turn: LongTurn) => void) {
    this.#onLongTurn = onLongTurn;
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = threadCpuMs();
    const cpuMs = Math.round(now - this.#usedMs - CHECK_MS);
    this.#usedMs = now;
    const work = notes.splice(0);
    if (cpuMs < LONGEST_TURN_MS) return;
    this.count += 1;
    this.#onLongTurn({ cpuMs, work });
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
