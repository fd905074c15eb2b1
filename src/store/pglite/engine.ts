import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { PmlError } from '../../errors.ts';
import { sourceFile } from '../../package-files.js';
import type { SqlSession } from '../db.ts';
import { homeUnusable } from '../make-home.ts';
import { SqlError, type SqlErrorFields } from '../sql-error.ts';
import type { RawResult, SqlText } from '../value-conversion.ts';
import type { Answer, Message, Request, WorkerSettings } from './worker-protocol.ts';

export interface EngineEvents {
  onProgress(message: string): void;
  onNotify(channel: string, payload: string): void;
  onDeath(): void;
}

interface PendingRequest {
  resolve(result: RawResult | null): void;
  reject(error: SqlErrorFields | PmlError): void;
}

/**
 * How much of a WebAssembly function runs before V8 optimises it, in bytes of code; V8's own default is 13 million. With
 * that, opening a database and a few statements make V8 optimise PostgreSQL's largest functions, one of which takes 600 MB
 * and a second by itself: a daemon that had just started peaked at 764 MB and now does at 208. A function of a
 * daemon that works hard is still optimised.
 */
const OPTIMISE_AFTER = 2_000_000_000;

// Omits over each member of a union; a plain Omit would keep only the members' common keys.
type WithoutId<R> = R extends unknown ? Omit<R, 'id'> : never;

/** Runs PGlite in a thread of its own, since its chains of promises starve the timers of the thread it runs in. */
export class PgliteEngine implements SqlSession {
  alive = true;
  readonly #folder: string;
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  #outbox: Request[] = [];
  #lastId = 0;

  private constructor(settings: WorkerSettings) {
    this.#folder = settings.folder;
    setFlagsFromString(`--wasm-tiering-budget=${OPTIMISE_AFTER}`);
    this.#worker = new Worker(sourceFile('store/pglite/worker.ts'), { workerData: settings, name: 'pglite' });
  }

  static start(settings: WorkerSettings, events: EngineEvents): Promise<PgliteEngine> {
    const engine = new PgliteEngine(settings);
    return new Promise((resolve, reject) => {
      let reason = 'its thread ended';
      engine.#worker.on('message', (message: Message) => {
        if (message.kind === 'ready') resolve(engine);
        else if (message.kind === 'slow') events.onProgress('Preparing the database (first start only)…');
        else if (message.kind === 'unusable') reason = message.reason;
        else if (message.kind === 'notify') events.onNotify(message.channel, message.payload);
        else for (const answer of message.answers) engine.#settle(answer);
      });
      engine.#worker.on('error', (error) => {
        reason = error.message;
      });
      engine.#worker.on('exit', () => {
        engine.#die(reason);
        events.onDeath();
        reject(homeUnusable(settings.folder, reason));
      });
    });
  }

  async run(sql: string, params: SqlText[], prepare = true): Promise<RawResult> {
    return (await this.#request({ kind: 'run', sql, params, prepare })) as RawResult;
  }

  async script(sql: string): Promise<void> {
    await this.#request({ kind: 'script', sql });
  }

  async close(): Promise<void> {
    if (this.alive) await this.#request({ kind: 'close' });
    await this.#worker.terminate();
  }

  async #request(request: WithoutId<Request>): Promise<RawResult | null> {
    if (!this.alive) throw engineDied(this.#folder, 'its thread ended');
    const id = ++this.#lastId;
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        this.#post({ ...request, id });
      });
    } catch (error) {
      // Made here rather than where the message arrives, so that its stack shows who made the request.
      throw error instanceof PmlError ? error : statementError(this.#folder, error as SqlErrorFields);
    }
  }

  /** Batches the requests of one turn: to wake the other thread costs about as much as a statement. */
  #post(request: Request): void {
    this.#outbox.push(request);
    if (this.#outbox.length > 1) return;
    queueMicrotask(() => {
      this.#worker.postMessage(this.#outbox);
      this.#outbox = [];
    });
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ('result' in answer) pending?.resolve(answer.result);
    else if (answer.error.severity === 'ERROR') pending?.reject(answer.error);
    // Rejected when the thread is gone, so that a retry finds a new engine and not the dying one.
    else this.#worker.once('exit', () => pending?.reject(answer.error));
  }

  #die(reason: string): void {
    this.alive = false;
    for (const pending of this.#pending.values()) pending.reject(engineDied(this.#folder, reason));
    this.#pending.clear();
  }
}

const DISK_FULL = '53100';

function statementError(folder: string, fields: SqlErrorFields): Error {
  if (fields.code !== DISK_FULL) return new SqlError(fields);
  return new PmlError('home_unusable', `The database in ${folder} cannot be written: ${fields.message}`, {
    hint: 'Free some space on that disk. What was stored before is safe.',
    cause: new SqlError(fields),
  });
}

function engineDied(folder: string, reason: string): PmlError {
  return new PmlError('database_unreachable', `The database in ${folder} stopped: ${reason}`, {
    hint: 'It is started again by the next request. If this returns, look at the free space of that disk.',
  });
}
