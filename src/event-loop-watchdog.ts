/** One turn of the event loop may take this much processor time. Every other session waits for as long. */
export const LONGEST_TURN_MS = 250;
/** A check is a timer. What other turns did since the one before it may be counted in, so it is allowed for. */
const CHECK_MS = 50;
const KEPT_NOTES = 5;

/** A turn that took too long, and the work that was begun in it, newest last. */
export interface LongTurn {
  cpuMs: number;
  work: readonly string[];
}

const notes: string[] = [];

/** Says what the main loop begins to work on. Cheap: a long turn is told by the notes made in it. */
export function noteWork(kind: string, subject = ''): void {
  if (notes.length === KEPT_NOTES) notes.shift();
  notes.push(subject === '' ? kind : `${kind} ${subject.slice(0, 100)}`);
}

/**
 * Measures the processor time of this thread between two checks. Time of the wall would accuse a busy machine: a thread
 * that waits for a core is slow and not at fault.
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
