import pg from 'pg';
import { PmlError } from '../errors.ts';
import { ChangeFeed } from './change-feed.ts';
import { type Db, query, refuseInsideTransaction, type Session, type Tx, transact } from './db.ts';
import { connectionConfig, serverName, translateError } from './postgres-address.ts';
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
    this.#pool = new pg.Pool({ ...connectionConfig(url), max: MAX_CONNECTIONS });
    // An idle connection that drops concerns nobody: the pool has already forgotten it.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      // Sent before anything else on the connection; if it fails, so does what follows it.
      client.query(SETTINGS).catch(() => {});
    });
    this.#feed = new ChangeFeed(url);
  }

  async query<R>(sql: string, params?: unknown[]) {
    refuseInsideTransaction();
    return query<R>(session(this.#pool, this.#server), sql, params);
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    const client = await this.#connect();
    let broken = false;
    const onLost = () => {
      broken = true;
    };
    client.on('error', onLost);
    try {
      return await transact(session(client, this.#server, onLost), body);
    } finally {
      client.off('error', onLost);
      client.release(broken);
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

function session(connection: pg.Pool | pg.PoolClient, server: string, onLost = () => {}): Session {
  const send = async <R extends unknown[]>(statement: string | pg.QueryArrayConfig) => {
    try {
      return await connection.query<R>(statement as pg.QueryArrayConfig);
    } catch (error) {
      const translated = translateError(error, server);
      if (translated instanceof PmlError) onLost();
      throw translated;
    }
  };
  return {
    async run(sql: string, params: Text[]): Promise<RawResult> {
      // Extended, so that one call is one statement, as on PGlite.
      const config = { text: sql, values: params, rowMode: 'array' as const, queryMode: 'extended' };
      const { command, fields, rows, rowCount } = await send<Text[]>(config);
      return { command, fields, rows, rowCount: rowCount ?? 0 };
    },
    async script(sql: string) {
      await send(sql);
    },
  };
}
