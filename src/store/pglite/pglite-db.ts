import { join } from 'node:path';
import { PmlError } from '../../errors.ts';
import { Channels, quoteName } from '../channels.ts';
import {
  type Db,
  type How,
  NOTIFY,
  query,
  refuseInsideTransaction,
  refuseWhenClosed,
  type Tx,
  transact,
} from '../db.ts';
import { makeHome } from '../home.ts';
import { type FileLock, lockFile } from '../lock.ts';
import { Queue } from '../queue.ts';
import { pastStalePlans } from '../statement-names.ts';
import { templateFolder } from './cluster.ts';
import { PgliteEngine } from './engine.ts';
import type { WorkerSettings } from './worker-protocol.ts';

export interface PgliteOptions {
  home: string;
  onProgress?: (message: string) => void;
  template?: string;
}

export async function openPglite(options: PgliteOptions): Promise<PgliteDb> {
  makeHome(options.home);
  // Two processes on one cluster would lose each other's writes without a word.
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

/** The one session hears what it sends, and tells it before it answers. */
const alreadyHeard = () => {};

export class PgliteDb implements Db {
  readonly engine = 'pglite';
  readonly #settings: WorkerSettings;
  readonly #lock: FileLock;
  readonly #onProgress: (message: string) => void;
  readonly #channels = new Channels();
  readonly #transactions = new Queue();
  #engine: Promise<PgliteEngine> | undefined;
  #closed = false;

  constructor({ home, onProgress, template }: PgliteOptions, lock: FileLock) {
    this.#settings = { folder: join(home, 'db'), template: template ?? templateFolder() };
    this.#onProgress = onProgress ?? (() => {});
    this.#lock = lock;
  }

  /** The running engine; a new one when there is none or the last one died. */
  start(): Promise<PgliteEngine> {
    this.#engine ??= this.#startEngine();
    return this.#engine;
  }

  async query<R>(sql: string, params?: unknown[], how?: How) {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed);
    // The worker answers in the order of asking, so only an open transaction has to be waited for.
    await this.#transactions.drained();
    return pastStalePlans(async () => query<R>(await this.start(), sql, params, how));
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.query(NOTIFY, [channel, payload]);
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed);
    return this.#transactions.run(() =>
      pastStalePlans(async () => transact(await this.start(), body, alreadyHeard)),
    );
  }

  async listen(channel: string, hear: (payload: string) => void, onGap: () => void) {
    const subscriber = { hear, onGap };
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
    await this.#transactions.drained();
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
