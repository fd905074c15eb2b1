import pg from 'pg';
import {
  type Db,
  NOTIFY,
  type QueryOptions,
  query,
  refuseInsideTransaction,
  refuseWhenClosed,
  type SqlSession,
  type Tx,
  transact,
} from '../db.ts';
import { SqlError } from '../sql-error.ts';
import { isStalePlanError, retryOnStalePlan, StatementNames } from '../statement-names.ts';
import type { RawResult, SqlText } from '../value-conversion.ts';
import { ChangeFeed } from './change-feed.ts';
import { connectionConfig, serverName, translateError } from './connection-config.ts';

const MAX_CONNECTIONS = 10;

// PGlite's defaults: a server or a role may have others, and the same query would then return something else.
const SETTINGS = `set timezone to 'UTC'; set datestyle to 'ISO'; set bytea_output to 'hex'`;

export function openPostgres(url: string): PostgresDb {
  return new PostgresDb(url);
}

export class PostgresDb implements Db {
  readonly engine = 'postgres';
  readonly #server: string;
  readonly #pool: pg.Pool;
  readonly #feed: ChangeFeed;
  readonly #names = new StatementNames();
  #closed: Promise<void> | undefined;

  constructor(url: string) {
    this.#server = serverName(url);
    this.#pool = new pg.Pool({
      ...connectionConfig(url),
      max: MAX_CONNECTIONS,
      // Statements sent together on one connection do not wait for each other's results.
      pipeline: true,
      onConnect: (client) => client.query(SETTINGS),
    });
    // The pool has already removed an idle connection that drops.
    this.#pool.on('error', () => {});
    this.#feed = new ChangeFeed(url);
  }

  async query<R>(sql: string, params?: unknown[], options?: QueryOptions) {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed !== undefined);
    const session = this.#session((statement) => this.#pool.query(statement));
    return retryOnStalePlan(() => query<R>(session, sql, params, options));
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.query(NOTIFY, [channel, payload]);
    this.#feed.deliver(channel, payload);
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed !== undefined);
    return retryOnStalePlan(() => this.#transact(body));
  }

  async #transact<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    // Without a listener the event would be fatal. The statement that meets the lost connection reports it, and the pool
    // does not reuse the connection.
    const ignore = () => {};
    client.on('error', ignore);
    try {
      return await transact(
        this.#session((statement) => client.query(statement)),
        body,
        (channel, payload) => this.#feed.deliver(channel, payload),
      );
    } finally {
      client.off('error', ignore);
      client.release();
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw translateError(error, this.#server);
    }
  }

  listen(channel: string, onPayload: (payload: string) => void, onGap: () => void) {
    return this.#feed.listen(channel, { onPayload, onGap });
  }

  close(): Promise<void> {
    this.#closed ??= Promise.all([this.#feed.close(), this.#pool.end()]).then(() => {});
    return this.#closed;
  }

  #session(send: Send): SqlSession {
    const run = async (statement: Statement) => {
      try {
        return await send({ ...statement, rowMode: 'array' });
      } catch (error) {
        const translated = translateError(error, this.#server);
        if (translated instanceof SqlError && isStalePlanError(translated)) this.#names.renew();
        throw translated;
      }
    };
    return {
      run: async (text: string, values: SqlText[], prepare = true): Promise<RawResult> => {
        const name = prepare ? this.#names.nameOf(text) : undefined;
        // Extended query mode, so that one call is one statement, as on PGlite.
        const statement: Statement = { text, values, queryMode: 'extended', ...(name && { name }) };
        const { command, fields, rows, rowCount } = await run(statement);
        return { command, fields, rows, rowCount: rowCount ?? 0 };
      },
      script: async (text: string) => {
        await run({ text });
      },
    };
  }
}

type Statement = Omit<pg.QueryArrayConfig, 'rowMode'> & { queryMode?: 'extended' };
type Send = (statement: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult<SqlText[]>>;
