import { AsyncLocalStorage } from 'node:async_hooks';
import { SqlError } from './sql-error.ts';
import { asText, type RawResult, type Text, toRows } from './values.ts';

export interface Queryable {
  /**
   * Runs one statement. An object parameter is sent as JSON and an array as a PostgreSQL array, so a JSON array
   * must be given as `JSON.stringify(array)`. int8 comes back as a number, timestamptz as a Date, json and jsonb
   * as what they hold, bytea as a Uint8Array; numeric, date and the rest as text.
   */
  query<R = Record<string, unknown>>(
    sql: string,
    params?: unknown[],
    how?: How,
  ): Promise<{ rows: R[]; rowCount: number }>;
  /**
   * Sends a payload over the change feed; inside a transaction, if that is kept. Those who listen in this process have
   * heard it when the transaction answers, and may hear it once more when it comes back over the feed.
   */
  notify(channel: string, payload: string): Promise<void>;
}

export interface How {
  /**
   * A statement that comes again is kept prepared, and soon planned for any parameters. False for one that should be
   * planned each time for what it is given.
   */
  prepare?: boolean;
}

export interface Db extends Queryable {
  readonly engine: 'pglite' | 'postgres';
  /**
   * Runs `body` in one transaction: commits what it did when it returns, undoes it when it throws. Statements of it that
   * need not wait for each other's answers are best sent together. If the schema was changed under it, it runs again.
   */
  transaction<T>(body: (tx: Queryable) => Promise<T>): Promise<T>;
  /**
   * Change feed: hears every payload sent with `notify` by any process on this database. `onGap` is called after the feed was cut and mended: payloads may have been missed, so read again
   * whatever they would have told. Returns the way to stop listening.
   */
  listen(
    channel: string,
    listener: (payload: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** One conversation with an engine, in text both ways, so that one piece of code gives the values their types. */
export interface Session {
  run(sql: string, params: Text[], prepare?: boolean): Promise<RawResult>;
  /** Runs several statements that take no parameters. */
  script(sql: string): Promise<void>;
}

/** A transaction of the store's own, which may also run a script. */
export interface Tx extends Queryable {
  script(sql: string): Promise<void>;
}

export async function query<R>(session: Session, sql: string, params: unknown[] = [], how: How = {}) {
  const result = await session.run(sql, params.map(asText), how.prepare);
  return { rows: toRows(result) as R[], rowCount: result.rowCount };
}

const openTransaction = new AsyncLocalStorage<{ open: boolean }>();

/**
 * PGlite has one session, so a statement sent past the open transaction would wait for its end, and the
 * transaction for the statement. Refused on both engines, so that a test on either finds it.
 */
export function refuseInsideTransaction(): void {
  if (openTransaction.getStore()?.open) {
    throw new Error('The body of a transaction must use the transaction it was given, not the database');
  }
}

export function refuseWhenClosed(closed: boolean): void {
  if (closed) throw new Error('The database is closed');
}

export const NOTIFY = 'select pg_notify($1, $2)';

/**
 * Runs `body` between begin and commit on a session that nobody else uses meanwhile. `deliver` is given what it sent over the
 * change feed.
 */
export async function transact<T>(
  session: Session,
  body: (tx: Tx) => Promise<T>,
  deliver: (channel: string, payload: string) => void,
): Promise<T> {
  const state = { open: true };
  const sent = new Map<string, [channel: string, payload: string]>();
  const checkOpen = () => {
    if (!state.open) throw new Error('This transaction is over');
  };
  const tx: Tx = {
    async query<R>(sql: string, params?: unknown[], how?: How) {
      checkOpen();
      return query<R>(session, sql, params, how);
    },
    async notify(channel, payload) {
      // The same payload twice is one, as the database has it.
      sent.set(`${channel}\0${payload}`, [channel, payload]);
      await tx.query(NOTIFY, [channel, payload]);
    },
    async script(sql) {
      checkOpen();
      await session.script(sql);
    },
  };
  // Not waited for: the first statement goes along with it, which spares the way there and back.
  const begun = session.run('begin', []);
  begun.catch(() => {});
  try {
    const value = await openTransaction.run(state, () => body(tx));
    await begun;
    state.open = false;
    // A body that swallowed a failed statement would otherwise believe that its work was kept.
    const { command } = await session.run('commit', []).finally(() => {
      // Also of a commit that was not answered: it may have been kept.
      for (const [channel, payload] of sent.values()) deliver(channel, payload);
    });
    if (command === 'ROLLBACK')
      throw new SqlError({ message: 'A statement failed: nothing was kept', code: '25P02' });
    return value;
  } catch (error) {
    if (state.open) {
      state.open = false;
      // The first error tells what happened; a session that cannot even roll back is thrown away by its owner.
      await session.run('rollback', []).catch(() => {});
    }
    throw error;
  }
}
