import { setImmediate as yieldOnce } from 'node:timers/promises';
import { runCodeTask } from '../../code/index.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Principal } from '../../principal.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Db } from '../../store/index.ts';
import { storedText } from '../../stored-texts.ts';
import { type BoundedData, boundData, redactData } from './bounded-data.ts';
import { type DetailsRow, insertDetails } from './run-details-table.ts';

/** A run of code or of a capability that a client asked for. */
export interface FinishedRun {
  /** The id of its row in the journal. */
  id: string;
  who: Principal;
  kind: 'run' | 'capability';
  intent?: string | undefined;
  /** The version whose code it was; absent if the code was not remembered. */
  capability?: { readonly fqdn: string; readonly version: number } | undefined;
  /** The code as it was sent, where there is no capability. */
  code?: string | undefined;
  args: unknown;
  /** Its result, and the size of that as JSON. */
  result?: { value: unknown; bytes: number } | undefined;
  error?: { message: string; line?: number | undefined; column?: number | undefined } | undefined;
  logs: readonly { level: string; text: string }[];
  /** Knows the secrets of the run. */
  redactor: Redactor;
}

interface Waiting extends Omit<FinishedRun, 'args' | 'result' | 'logs'> {
  args: BoundedData;
  result?: BoundedData & { bytes: number };
  logs: BoundedData;
}

const FLUSH_MS = 500;
/** Further runs get no details while so many wait; the journal still holds them. */
const MAX_WAITING = 500;
const MAX_CODE = 200_000;
/** How many runs are redacted in one turn of the event loop. */
const TURN = 10;
const MAX_LOG_LINES = 100;

/**
 * Stores the details of runs that the journal does not hold: code, arguments, result, console and error. A run hands
 * over bounded data; secrets are searched for after it was answered. A killed process loses what it had not stored yet.
 */
export class RunDetails {
  readonly #db: Db;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Takes note of a run that has ended. Never throws. */
  note({ args, result, logs, ...run }: FinishedRun): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({
      ...run,
      args: boundData(args),
      ...(result && { result: { ...boundData(result.value), bytes: result.bytes } }),
      logs: boundData(logs.length > MAX_LOG_LINES ? logs.slice(-MAX_LOG_LINES) : logs),
    });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Stores all that was noted before this call. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#store());
    return this.#flushing;
  }

  async #store(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    try {
      const rows: DetailsRow[] = [];
      for (const [at, run] of batch.entries()) {
        rows.push(await rowOf(run));
        if (at % TURN === TURN - 1) await yieldOnce();
      }
      await insertDetails(this.#db, rows);
    } catch (error) {
      this.#log.warn(`the details of ${batch.length} runs are lost: ${messageOf(error)}`);
    }
  }
}

async function rowOf(run: Waiting): Promise<DetailsRow> {
  const { id, who, kind, intent, capability, redactor, error } = run;
  const code = capability || run.code === undefined ? null : await cleanCode(run.code, redactor);
  const args = redactData(run.args, redactor);
  const result = run.result && redactData(run.result, redactor);
  const logs = redactData(run.logs, redactor);
  return {
    ...{ id, org: who.org, project: who.project, user_id: who.user, kind, code },
    intent: intent === undefined ? null : storedText('intent', intent, redactor),
    fqdn: capability?.fqdn ?? null,
    version: capability?.version ?? null,
    args: storable(args.json),
    result: result ? storable(result.json) : null,
    result_bytes: result?.isCut ? (run.result?.bytes ?? null) : null,
    logs: storable(logs.json),
    error: error ? storedText('run_error', error.message, redactor) : null,
    line: error?.line ?? null,
    col: error?.column ?? null,
  };
}

/** Redacts code, including literals that only an analysis of the code shows to be secret. */
async function cleanCode(code: string, redactor: Redactor): Promise<string> {
  const own = redactor.fork();
  own.learnFrom(redactor);
  own.learnTexts(await runCodeTask('secretLiterals', code).catch(() => []));
  return storable(own.text(code, MAX_CODE - 100));
}

/** Removes what PostgreSQL cannot store. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
