import pg from 'pg';
import { ChangeFeed } from './change-feed.ts';
import {
  type Db,
  query,
  refuseInsideTransaction,
  refuseWhenClosed,
  type Session,
  type Tx,
  transact,
} from './db.ts';
import { connectionConfig, serverName, translateError } from './postgres-address.ts';
import { Queue } from './queue.ts';
import type { RawResult, Text } from './values.ts';

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
  #closed: Promise<void> | undefined;

  constructor(url: string) {
    this.#server = serverName(url);
    this.#pool = new pg.Pool({
      ...connectionConfig(url),
      max: MAX_CONNECTIONS,
      onConnect: (client) => client.query(SETTINGS),
    });
    // An idle connection that drops concerns nobody: the pool has already forgotten it.
    this.#pool.on('error', () => {});
    this.#feed = new ChangeFeed(url);
  }

  async query<R>(sql: string, params?: unknown[]) {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed !== undefined);
    return query<R>(
      session(this.#server, (statement) => this.#pool.query(statement)),
      sql,
      params,
    );
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    refuseWhenClosed(this.#closed !== undefined);
    const client = await this.#connect();
    // The statement that meets a lost connection tells of it, and the pool takes none back; unheard it would be fatal.
    const ignore = () => {};
    client.on('error', ignore);
    // The driver wants one statement at a time on a connection, whatever the body does.
    const queue = new Queue();
    const inTurn: Send = (statement) => queue.run(() => client.query(statement));
    try {
      return await transact(session(this.#server, inTurn), body);
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
}

type Send = (statement: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult<Text[]>>;

function session(server: string, send: Send): Session {
  const run = async (statement: Omit<pg.QueryArrayConfig, 'rowMode'> & { queryMode?: 'extended' }) => {
    try {
      return await send({ ...statement, rowMode: 'array' });
    } catch (error) {
      throw translateError(error, server);
    }
  };
  return {
    async run(text: string, values: Text[]): Promise<RawResult> {
      // Extended, so that one call is one statement, as on PGlite.
      const { command, fields, rows, rowCount } = await run({ text, values, queryMode: 'extended' });
      return { command, fields, rows, rowCount: rowCount ?? 0 };
    },
    async script(text: string) {
      await run({ text });
    },
  };
}
