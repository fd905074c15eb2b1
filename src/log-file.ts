import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TokenBucket } from './token-bucket.ts';

/** One kept file and one former one, each about this long: a log must not fill the disk it reports on. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** A quiet log is written at the end of each turn of the event loop. A busy one waits so long, or until it has so much. */
const WRITES_PER_SECOND = 10;
const WRITES_AT_ONCE = 50;
const WAIT_MS = 100;
const MAX_WAITING = 64 * 1024;

const open = new Set<LogFile>();

/** The file of a log. Written in batches, since each write holds up everything else. */
export class LogFile {
  readonly #path: string;
  #waiting: string[] = [];
  #length = 0;
  readonly #writes = new TokenBucket(WRITES_PER_SECOND, WRITES_AT_ONCE);
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(path: string) {
    this.#path = path;
    tryTo(() => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }));
    if (open.size === 0) process.once('exit', flushAll);
    open.add(this);
  }

  add(line: string): void {
    this.#waiting.push(line, '\n');
    this.#length += line.length;
    if (this.#length >= MAX_WAITING) this.flush();
    else if (this.#timer || this.#soon) return;
    else if (this.#writes.tryTake(1)) this.#soon = setImmediate(() => this.flush());
    else this.#timer = setTimeout(() => this.flush(), WAIT_MS).unref();
  }

  /** Writes what waits. What cannot be written is gone: a log must never be what fails. */
  flush(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
    if (this.#length === 0) return;
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#length = 0;
    tryTo(() => append(this.#path, text));
  }
}

/** A process that ends, well or by an exception, leaves no line behind. */
function flushAll(): void {
  for (const file of open) file.flush();
}

function append(path: string, text: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_FILE_BYTES) renameSync(path, `${path}.old`);
  appendFileSync(path, text, { mode: 0o600 });
}

function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // The disk is full or gone; whoever needs it will say so.
  }
}
