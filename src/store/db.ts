import { AsyncLocalStorage } from 'node:async_hooks';
import { SqlError } from './sql-error.ts';
import { type RawResult, type SqlText, toRows, toSqlText } from './value-conversion.ts';

export interface Queryable {
  /**
   * Runs one statement. An object parameter is sent as JSON and an array as a PostgreSQL array, so a JSON array
   * must be given as `JSON.stringify(array)`. int8 comes back as a number, timestamptz as a Date, json and jsonb
   * as their parsed value, bytea as a Uint8Array; numeric, date and the rest as text.
   */
  query<R = Record<string, unknown>>(
    sql: string,
    params?: unknown[],
    options?: QueryOptions,
  ): Promise<{ rows: R[]; rowCount: number }>;
  /**
   * Sends a payload over the change feed; inside a transaction, only if that commits. Listeners in this process have
   * it when the transaction returns, and may get it once more when it comes back over the feed.
   */
  notify(channel: string, payload: string): Promise<void>;
}

export interface QueryOptions {
  /**
   * A repeated statement is kept prepared, and soon planned for any parameters. Set to false to plan it each time for
   * the parameters it is given.
   */
  prepare?: boolean;
}

export interface Db extends Queryable {
  readonly engine: 'pglite' | 'postgres';
  /**
   * Runs `body` in one transaction: commits when it returns, rolls back when it throws. Statements that do not need
   * each other's results should be sent together. If the schema changed meanwhile, `body` runs again.
   */
  transaction<T>(body: (tx: Queryable) => Promise<T>): Promise<T>;
  /**
   * Listens to every payload that any process on this database sends with `notify`. `onGap` is called when the feed was
   * interrupted and is back: payloads may be missing, so read their subject again. Returns a function that stops it.
   */
  listen(
    channel: string,
    listener: (payload: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A database session that sends and returns text, so that both engines share the conversion of values. */
export interface SqlSession {
  run(sql: string, params: SqlText[], prepare?: boolean): Promise<RawResult>;
  /** Runs several statements that take no parameters. */
  script(sql: string): Promise<void>;
}

/** A transaction inside the store, which can also run a script. */
export interface Tx extends Queryable {
  script(sql: string): Promise<void>;
}

export async function query<R>(
  session: SqlSession,
  sql: string,
  params: unknown[] = [],
  options: QueryOptions = {},
) {
  const result = await session.run(sql, params.map(toSqlText), options.prepare);
  return { rows: toRows(result) as R[], rowCount: result.rowCount };
}

const currentTransaction = new AsyncLocalStorage<OpenTransaction>();

/**
 * Refuses a statement that bypasses the open transaction. PGlite has one session, so the statement would wait for the
 * transaction, and the transaction for the statement. Refused on both engines, so that a test on either finds it.
 */
export function refuseInsideTransaction(): void {
  if (currentTransaction.getStore()?.isOpen) {
    throw new Error('The body of a transaction must use the transaction it was given, not the database');
  }
}

export function refuseWhenClosed(closed: boolean): void {
  if (closed) throw new Error('The database is closed');
}

export const NOTIFY = 'select pg_notify($1, $2)';

/** A transaction that is open, and the payloads that it has sent over the change feed. */
interface OpenTransaction {
  isOpen: boolean;
  readonly sent: Map<string, [channel: string, payload: string]>;
}

/**
 * Runs `body` between begin and commit on a session that nothing else uses meanwhile. `deliver` gets the payloads that it
 * sent over the change feed.
 */
export async function transact<T>(
  session: SqlSession,
  body: (tx: Tx) => Promise<T>,
  deliver: (channel: string, payload: string) => void,
): Promise<T> {
  const transaction: OpenTransaction = { isOpen: true, sent: new Map() };
  const tx = txOf(session, transaction);
  // Not awaited: the first statement is sent along with it, which saves a round trip.
  const begun = session.run('begin', []);
  begun.catch(() => {});
  try {
    const value = await currentTransaction.run(transaction, () => body(tx));
    await begun;
    transaction.isOpen = false;
    const { command } = await session.run('commit', []).finally(() => {
      // Also after a commit without an answer, which may have succeeded.
      for (const [channel, payload] of transaction.sent.values()) deliver(channel, payload);
    });
    // PostgreSQL answers ROLLBACK if the body swallowed a failed statement.
    if (command === 'ROLLBACK')
      throw new SqlError({ message: 'A statement failed: nothing was kept', code: '25P02' });
    return value;
  } catch (error) {
    if (transaction.isOpen) {
      transaction.isOpen = false;
      // The first error tells what happened; the owner of the session discards one that cannot roll back.
      await session.run('rollback', []).catch(() => {});
    }
    throw error;
  }
}

function txOf(session: SqlSession, transaction: OpenTransaction): Tx {
  const checkOpen = () => {
    if (!transaction.isOpen) throw new Error('This transaction is over');
  };
  const tx: Tx = {
    async query<R>(sql: string, params?: unknown[], options?: QueryOptions) {
      checkOpen();
      return query<R>(session, sql, params, options);
    },
    async notify(channel, payload) {
      // PostgreSQL sends a repeated payload once, and so does this.
      transaction.sent.set(`${channel}\0${payload}`, [channel, payload]);
      await tx.query(NOTIFY, [channel, payload]);
    },
    async script(sql) {
      checkOpen();
      await session.script(sql);
    },
  };
  return tx;
}
