import { messageOf } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import {
  type CallMembers,
  type CallRow,
  type CallText,
  jsonOf,
  storeCalls,
} from '../registry/usage/index.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { MAX_TEXT, storedText } from '../stored-texts.ts';
import { rowId } from './row-id.ts';
import { Spool } from './spool.ts';

/** A place in a run: the id of the run, and how many runs deep. */
export interface RunPlace {
  readonly id: string;
  readonly depth: number;
}

/** One call of a tool or capability. */
export interface Usage {
  server: string;
  tool: string;
  /** Set for a capability, whose record counts the call too. */
  fqdn?: string | undefined;
  who: Principal;
  success: boolean;
  durationMs: number;
  error?: string | undefined;
  /** Knows the secrets that the error may quote. */
  redactor?: Redactor | undefined;
  /** It failed because of who called it, or how: that is no evidence against the callee. */
  byCaller?: boolean;
  /** Its arguments were wrong: nothing ran, and it is not counted. */
  refused?: boolean;
  /** It was answered from the cache: nothing ran. */
  cached?: boolean;
  /** The run that it belongs to; at depth 0 the call is the run itself. */
  run?: RunPlace | undefined;
}

/** Is called with every call, and the id and the time of its row. */
export type JournalListener = (usage: Usage, row: { id: string; called_at: string }) => void;

const FLUSH_MS = 200;
/** A batch takes the store about 2 ms and some microseconds more for each row, so a busy journal waits for larger ones. */
const BUSY_FLUSH_MS = 2000;
const BUSY_ROWS = 20;
const BATCH = 1000;
const RETRY_MS = 2000;

/**
 * Stores every call, in batches and without making the call wait. Until a batch is stored it is also in a spool file, so that
 * a process killed at any moment loses no row: the next one stores what it finds there. The row's id makes storing it twice
 * harmless.
 */
export class Journal {
  readonly #db: Db;
  readonly #log: Log;
  readonly #spool: Spool;
  readonly #listeners = new Set<JournalListener>();
  #waiting: CallText[] = [];
  #isBusy = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Why the last batch could not be stored. */
  #problem: string | undefined;
  /** A killed process, or a batch whose answer never came, may have stored some of the waiting calls. */
  #mayBeStored: boolean;

  private constructor(db: Db, log: Log, spool: Spool) {
    this.#db = db;
    this.#log = log;
    this.#spool = spool;
    this.#mayBeStored = spool.recovered.length > 0;
  }

  static async open(db: Db, spoolFile: string, log: Log): Promise<Journal> {
    const spool = new Spool(spoolFile);
    const journal = new Journal(db, log, spool);
    journal.#waiting = spool.recovered
      .filter(isCallRow)
      .map(({ id, duration_ms, called_at, ...kind }) => textOf({ id, duration_ms, called_at }, kind));
    const damaged = spool.recovered.length - journal.#waiting.length;
    if (damaged > 0) log.warn(`${damaged} lines of ${spoolFile} are not calls, and were skipped`);
    if (journal.#waiting.length > 0)
      log.info(`storing ${journal.#waiting.length} calls of a process that was killed`);
    await journal.flush();
    return journal;
  }

  /** How many calls are not in the store yet. */
  get backlog(): number {
    return this.#waiting.length;
  }

  /** Passes every call to the listener as it is recorded. Returns a function that stops this. */
  on(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  record(usage: Usage): void {
    const id = usage.run?.depth === 0 ? usage.run.id : rowId();
    const members = { id, duration_ms: usage.durationMs, called_at: new Date().toISOString() };
    for (const listener of this.#listeners) listener(usage, members);
    const text = textOf(members, {
      server_id: usage.server,
      tool: storable(usage.tool).slice(0, MAX_TEXT.tool),
      fqdn: usage.fqdn ?? null,
      org: usage.who.org,
      project: usage.who.project,
      user_id: usage.who.user,
      agent: usage.who.agent ?? null,
      success: usage.success,
      // Errors quote arguments.
      error: usage.error === undefined ? null : storedText('error', usage.error, usage.redactor),
      by_caller: usage.byCaller ?? false,
      cached: usage.cached ?? false,
      refused: usage.refused || undefined,
      run: usage.run?.id,
      depth: usage.run?.depth,
    });
    this.#spool.append(jsonOf(text));
    // The next start stores it from the spool.
    if (this.#isClosed) return;
    this.#waiting.push(text);
    if (this.#waiting.length === BATCH && !this.#problem) void this.flush();
    else this.#timer ??= this.#flushAfter(this.#isBusy ? BUSY_FLUSH_MS : FLUSH_MS);
  }

  /** Stores all that was recorded before this call. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#store());
    return this.#flushing;
  }

  /** Stores what was recorded. Calls that end later are only spooled, and stored by the next start. */
  async close(): Promise<void> {
    await this.flush();
    // Calls that ended meanwhile.
    if (!this.#problem) await this.flush();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#spool.close();
    if (this.backlog > 0) {
      this.#log.error(
        `${this.backlog} calls could not be stored. The next start stores those that reached the spool file.`,
      );
    }
  }

  async #store(): Promise<void> {
    let left = this.#waiting.length;
    this.#isBusy = left > BUSY_ROWS;
    if (left > 0) this.#spool.rotate();
    while (left > 0) {
      const batch = this.#waiting.slice(0, Math.min(left, BATCH));
      try {
        await storeCalls(this.#db, batch, { mayBeStored: this.#mayBeStored });
      } catch (error) {
        this.#mayBeStored = true;
        this.#retryLater(messageOf(error));
        return;
      }
      this.#waiting.splice(0, batch.length);
      left -= batch.length;
    }
    if (this.#waiting.length === 0) this.#spool.reset();
    else this.#spool.resetOther();
    if (this.#problem) this.#log.info('calls are journalled again');
    this.#problem = undefined;
    this.#mayBeStored = false;
  }

  /** Retries after a while rather than with each new call. Logs each problem once, for the disk may be full. */
  #retryLater(problem: string): void {
    if (this.#problem !== problem) this.#log.error(`calls could not be journalled, trying again: ${problem}`);
    this.#problem = problem;
    clearTimeout(this.#timer);
    this.#timer = this.#flushAfter(RETRY_MS);
  }

  /** Flushes later. The timer keeps no process alive: the next start stores what the spool holds. */
  #flushAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.flush(), ms).unref();
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for a row that the store accepts. A row from a damaged or edited file would block all others for ever. */
function isCallRow(row: unknown): row is CallRow {
  if (!isJsonObject(row)) return false;
  const { id, duration_ms, called_at, run = null, success, fqdn = null, ...kind } = row as Partial<CallRow>;
  const names = [kind.server_id, kind.tool, kind.org, kind.project, kind.user_id];
  return (
    [id, run ?? id].every((one) => typeof one === 'string' && UUID.test(one)) &&
    Number.isFinite(duration_ms) &&
    Number.isFinite(Date.parse(String(called_at))) &&
    typeof success === 'boolean' &&
    names.every((name) => typeof name === 'string' && !name.includes('\0')) &&
    (fqdn === null || typeof fqdn === 'string')
  );
}

/** Makes the text that the spool and the store take. */
function textOf(members: CallMembers, kind: Omit<CallRow, keyof CallMembers>): CallText {
  return { ...members, kind: JSON.stringify(kind), isCapability: kind.fqdn !== null };
}

/** Removes what PostgreSQL cannot store: one bad row would stop the whole batch. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
