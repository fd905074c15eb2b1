import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PmlError } from '../../errors.ts';
import type { Session } from '../db.ts';
import { homeUnusable } from '../home.ts';
import { SqlError, type SqlErrorFields } from '../sql-error.ts';
import type { RawResult, Text } from '../values.ts';
import type { Answer, Message, Request, WorkerSettings } from './worker-protocol.ts';

export interface EngineEvents {
  onProgress(message: string): void;
  onNotify(channel: string, payload: string): void;
  onDeath(): void;
}

interface Waiting {
  resolve(result: RawResult | null): void;
  reject(error: SqlErrorFields | PmlError): void;
}

// Omit over each member of a union, where the plain one would keep only what all members share.
type WithoutId<R> = R extends unknown ? Omit<R, 'id'> : never;

/** PGlite in a thread of its own: its chain of promises starves the timers of the thread it runs in. */
export class PgliteEngine implements Session {
  alive = true;
  readonly #folder: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #outbox: Request[] = [];
  #lastId = 0;

  private constructor(settings: WorkerSettings) {
    this.#folder = settings.folder;
    // The built package holds .js where the source holds .ts.
    const program = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(program, { workerData: settings, name: 'pglite' });
  }

  static start(settings: WorkerSettings, events: EngineEvents): Promise<PgliteEngine> {
    const engine = new PgliteEngine(settings);
    return new Promise((resolve, reject) => {
      let reason = 'its thread ended';
      engine.#worker.on('message', (message: Message) => {
        if (message.tell === 'ready') resolve(engine);
        else if (message.tell === 'slow') events.onProgress('Preparing the database (first start only)…');
        else if (message.tell === 'unusable') reason = message.reason;
        else if (message.tell === 'notify') events.onNotify(message.channel, message.payload);
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

  async run(sql: string, params: Text[], prepare = true): Promise<RawResult> {
    return (await this.#ask({ ask: 'run', sql, params, prepare })) as RawResult;
  }

  async script(sql: string): Promise<void> {
    await this.#ask({ ask: 'script', sql });
  }

  async close(): Promise<void> {
    if (this.alive) await this.#ask({ ask: 'close' });
    await this.#worker.terminate();
  }

  async #ask(request: WithoutId<Request>): Promise<RawResult | null> {
    if (!this.alive) throw engineDied(this.#folder, 'its thread ended');
    const id = ++this.#lastId;
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        this.#post({ ...request, id });
      });
    } catch (error) {
      // Made here and not where the message arrives, so that its stack leads to the one who asked.
      throw error instanceof PmlError ? error : refusal(this.#folder, error as SqlErrorFields);
    }
  }

  /** Waking the other thread costs about as much as a statement: what is asked at once goes together. */
  #post(request: Request): void {
    this.#outbox.push(request);
    if (this.#outbox.length > 1) return;
    queueMicrotask(() => {
      this.#worker.postMessage(this.#outbox);
      this.#outbox = [];
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('result' in answer) waiting?.resolve(answer.result);
    else if (answer.error.severity === 'ERROR') waiting?.reject(answer.error);
    // Told when the thread is gone, so that whoever tries again finds a new engine and not the dying one.
    else this.#worker.once('exit', () => waiting?.reject(answer.error));
  }

  #die(reason: string): void {
    this.alive = false;
    for (const waiting of this.#waiting.values()) waiting.reject(engineDied(this.#folder, reason));
    this.#waiting.clear();
  }
}

const DISK_FULL = '53100';

function refusal(folder: string, fields: SqlErrorFields): Error {
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
