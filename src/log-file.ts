import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TokenBucket } from './token-bucket.ts';

/** One current and one old file, each about this long: a log must not fill the disk. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;
// A quiet log is written at the end of each turn of the event loop. A busy one waits for the timer, or until its buffer
// is full.
const WRITES_PER_SECOND = 10;
const WRITES_AT_ONCE = 50;
const WAIT_MS = 100;
const MAX_BUFFERED = 64 * 1024;

const open = new Set<LogFile>();

/** Writes a log to its file, in batches, since each write blocks everything else. */
export class LogFile {
  readonly #path: string;
  #buffer: string[] = [];
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
    this.#buffer.push(line, '\n');
    this.#length += line.length;
    if (this.#length >= MAX_BUFFERED) this.flush();
    else if (this.#timer || this.#soon) return;
    else if (this.#writes.tryTake(1)) this.#soon = setImmediate(() => this.flush());
    else this.#timer = setTimeout(() => this.flush(), WAIT_MS).unref();
  }

  /** Writes the buffer. Lines that cannot be written are lost: a log must never make PML fail. */
  flush(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
    if (this.#length === 0) return;
    const text = this.#buffer.join('');
    this.#buffer = [];
    this.#length = 0;
    tryTo(() => append(this.#path, text));
  }
}

/** Runs when the process ends, normally or by an exception, so that no line is lost. */
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
    // The disk is full or gone; others who need it report that.
  }
}
