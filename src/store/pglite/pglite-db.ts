import { join } from 'node:path';
import { PmlError } from '../../errors.ts';
import { Channels, quoteName } from '../channels.ts';
import {
  type Db,
  NOTIFY,
  type QueryOptions,
  query,
  refuseInsideTransaction,
  refuseWhenClosed,
  type Tx,
  transact,
} from '../db.ts';
import { type FileLock, lockFile } from '../lock.ts';
import { makeHome } from '../make-home.ts';
import { retryOnStalePlan } from '../statement-names.ts';
import { PgliteEngine } from './engine.ts';
import { SessionTurns } from './session-turns.ts';
import { templateFile } from './template-file.ts';
import type { WorkerSettings } from './worker-protocol.ts';

export interface PgliteOptions {
  home: string;
  onProgress?: (message: string) => void;
  template?: string;
}

export async function openPglite(options: PgliteOptions): Promise<PgliteDb> {
  makeHome(options.home);
  // Two processes on one cluster would silently lose each other's writes.
  const lock = lockFile(join(options.home, 'db.lock'));
  if (lock === null) {
    throw new PmlError('home_unusable', `Another process uses the database in ${options.home}`, {
      hint: 'Stop it with `pml down`, or set PML_HOME to another folder.',
    });
  }
  const db = new PgliteDb(options, lock);
  try {
    await db.start();
  } catch (error) {
    lock.release();
    throw error;
  }
  return db;
}

/** PGlite's one session also receives what it sends, before it answers, so nothing is left to deliver. */
const alreadyDelivered = () => {};

export class PgliteDb implements Db {
  readonly engine = 'pglite';
  readonly #settings: WorkerSettings;
  readonly #lock: FileLock;
  readonly #onProgress: (message: string) => void;
  readonly #channels = new Channels();
  readonly #turns = new SessionTurns();
  #engine: Promise<PgliteEngine> | undefined;
  #closed = false;

  constructor({ home, onProgress, template }: PgliteOptions, lock: FileLock) {
    this.#settings = { folder: join(home, 'db'), template: template ?? templateFile() };
    this.#onProgress = onProgress ?? (() => {});
    this.#lock = lock;
  }

  /** Returns the running engine, or starts one if there is none or the last one died. */
  start(): Promise<PgliteEngine> {
    this.#engine ??= this.#startEngine();
    return this.#engine;
  }

  async query<R>(sql: string, params?: unknown[], options?: QueryOptions) {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed);
    return retryOnStalePlan(() => this.#query<R>(sql, params, options));
  }

  /** Waits for the engine first, so that the statement is sent at once when its turn comes. The worker answers in order. */
  async #query<R>(
    sql: string,
    params?: unknown[],
    options?: QueryOptions,
  ): Promise<{ rows: R[]; rowCount: number }> {
    const engine = await this.start();
    const sent = await this.#turns.statement(async () =>
      engine.alive ? { answer: query<R>(engine, sql, params, options) } : undefined,
    );
    // Without an answer, the engine died while a transaction had it.
    return sent ? sent.answer : this.#query(sql, params, options);
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.query(NOTIFY, [channel, payload]);
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed);
    return this.#turns.transaction(() =>
      retryOnStalePlan(async () => transact(await this.start(), body, alreadyDelivered)),
    );
  }

  async listen(channel: string, onPayload: (payload: string) => void, onGap: () => void) {
    const subscriber = { onPayload, onGap };
    this.#channels.add(channel, subscriber);
    try {
      await this.query(`listen ${quoteName(channel)}`);
    } catch (error) {
      this.#channels.remove(channel, subscriber);
      throw error;
    }
    return async () => {
      if (this.#channels.remove(channel, subscriber)) await this.query(`unlisten ${quoteName(channel)}`);
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#turns.drained();
    try {
      const engine = await this.#engine?.catch(() => undefined);
      await engine?.close();
    } finally {
      this.#lock.release();
    }
  }

  async #startEngine(): Promise<PgliteEngine> {
    const engine = await PgliteEngine.start(this.#settings, {
      onProgress: this.#onProgress,
      onNotify: (channel, payload) => this.#channels.deliver(channel, payload),
      onDeath: () => {
        this.#engine = undefined;
      },
    });
    for (const channel of this.#channels.names()) await engine.script(`listen ${quoteName(channel)}`);
    this.#channels.announceGap();
    return engine;
  }
}
