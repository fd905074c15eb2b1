import pg from 'pg';
import {
  type Db,
  type How,
  NOTIFY,
  query,
  refuseInsideTransaction,
  refuseWhenClosed,
  type Session,
  type Tx,
  transact,
} from '../db.ts';
import { SqlError } from '../sql-error.ts';
import { isStale, pastStalePlans, StatementNames } from '../statement-names.ts';
import type { RawResult, Text } from '../values.ts';
import { connectionConfig, serverName, translateError } from './address.ts';
import { ChangeFeed } from './change-feed.ts';

const MAX_CONNECTIONS = 10;

// What PGlite has: a server or a role may be set otherwise, and then the same query would answer otherwise.
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
      // What is sent together on one connection does not wait for the answers before it.
      pipeline: true,
      onConnect: (client) => client.query(SETTINGS),
    });
    // An idle connection that drops concerns nobody: the pool has already forgotten it.
    this.#pool.on('error', () => {});
    this.#feed = new ChangeFeed(url);
  }

  async query<R>(sql: string, params?: unknown[], how?: How) {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed !== undefined);
    const session = this.#session((statement) => this.#pool.query(statement));
    return pastStalePlans(() => query<R>(session, sql, params, how));
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.query(NOTIFY, [channel, payload]);
    this.#feed.deliver(channel, payload);
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed !== undefined);
    return pastStalePlans(() => this.#transact(body));
  }

  async #transact<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    // The statement that meets a lost connection tells of it, and the pool takes none back; unheard it would be fatal.
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

  listen(channel: string, hear: (payload: string) => void, onGap: () => void) {
    return this.#feed.listen(channel, { hear, onGap });
  }

  close(): Promise<void> {
    this.#closed ??= Promise.all([this.#feed.close(), this.#pool.end()]).then(() => {});
    return this.#closed;
  }

  #session(send: Send): Session {
    const run = async (statement: Statement) => {
      try {
        return await send({ ...statement, rowMode: 'array' });
      } catch (error) {
        const translated = translateError(error, this.#server);
        if (translated instanceof SqlError && isStale(translated)) this.#names.renew();
        throw translated;
      }
    };
    return {
      run: async (text: string, values: Text[], prepare = true): Promise<RawResult> => {
        const name = prepare ? this.#names.nameOf(text) : undefined;
        // Extended, so that one call is one statement, as on PGlite.
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
type Send = (statement: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult<Text[]>>;
