import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { DrawnOrder } from '../testing/drawn-order.ts';
import { dropDatabase, freshDatabase } from '../testing/postgres.ts';
import { scratchRoot } from '../testing/scratch.ts';
import type { Db } from './db.ts';
import { openDb } from './index.ts';
import { migrate } from './migrate.ts';
import { openPglite, type PgliteDb } from './pglite/pglite-db.ts';

export interface TestStore {
  /** Migrated and empty. Closed when the test ends. */
  db: Db;
  /** The same database once more: on PostgreSQL as another process would open it, on PGlite the same handle. */
  again(): Promise<Db>;
  t: TestContext;
}

/** Runs a test twice, on PGlite and on PostgreSQL, each time on an empty, migrated database. */
export function onBothEngines(name: string, body: (store: TestStore) => Promise<void>): void {
  test(`${name} (PGlite)`, async (t) => {
    const db = await freshSchema();
    await body({ db, again: async () => db, t });
  });
  test(`${name} (PostgreSQL)`, async (t) => {
    const databaseUrl = await emptiedDatabase();
    const opened: Db[] = [];
    const again = async () => {
      const db = await openDb({ home: '', databaseUrl });
      opened.push(db);
      return db;
    };
    try {
      await body({ db: await again(), again, t });
    } finally {
      await Promise.all(opened.map((db) => db.close()));
    }
  });
}

/** A handle on the database whose statements and transactions begin when it is their turn. */
export function inDrawnOrder(db: Db, order: DrawnOrder): Db {
  return {
    engine: db.engine,
    query: async (sql, params, options) => {
      await order.turn();
      return db.query(sql, params, options);
    },
    transaction: async (body) => {
      await order.turn();
      return db.transaction(body);
    },
    notify: (channel, payload) => db.notify(channel, payload),
    listen: (channel, onPayload, onGap) => db.listen(channel, onPayload, onGap),
    close: () => db.close(),
  };
}

/** An empty folder, removed when the test ends. */
export function freshFolder(t: TestContext): string {
  const folder = mkdtempSync(join(scratchRoot(), 'pml-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let onPglite: { home: string; opening: Promise<PgliteDb>; fingerprint: string | undefined } | undefined;
let onPostgres: { url: string; db: Db; fingerprint: string } | undefined;

after(async () => {
  await onPostgres?.db.close();
  if (!onPglite) return;
  const db = await onPglite.opening.catch(() => undefined);
  await db?.close();
  rmSync(onPglite.home, { recursive: true, force: true });
});

// An engine takes half a second to open, a schema a third of one to migrate: one engine for a test file, one schema until a
// test changes more than its rows.
async function freshSchema(): Promise<Db> {
  if (!onPglite) {
    const home = mkdtempSync(join(scratchRoot(), 'pml-test-'));
    onPglite = { home, opening: openPglite({ home }), fingerprint: undefined };
  }
  const db = await onPglite.opening;
  const { fingerprint } = onPglite;
  if (!(await putBack(db, fingerprint))) onPglite.fingerprint = await migratedSchema(db, !fingerprint);
  return {
    engine: db.engine,
    query: (sql, params, options) => db.query(sql, params, options),
    notify: (channel, payload) => db.notify(channel, payload),
    transaction: (body) => db.transaction(body),
    listen: (channel, onPayload, onGap) => db.listen(channel, onPayload, onGap),
    close: async () => {},
  };
}

/** Returns the address of a database on PostgreSQL. To make one for each test would take 40 ms longer than to empty it. */
async function emptiedDatabase(): Promise<string> {
  if (onPostgres && (await putBack(onPostgres.db, onPostgres.fingerprint))) return onPostgres.url;
  if (onPostgres) {
    await onPostgres.db.close();
    await dropDatabase(onPostgres.url);
  }
  const url = await freshDatabase();
  const db = await openDb({ home: '', databaseUrl: url });
  onPostgres = { url, db, fingerprint: await keepSeeds(db) };
  return url;
}

/** Changes whenever a table, a column, a constraint or a trigger does. */
const FINGERPRINT = `
  select md5(string_agg(item, ',' order by item)) as fingerprint from (
    select concat(c.relname, c.relkind, a.attname, a.atttypid) as item from pg_class c
      left join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace
    union all select concat(conname, conrelid) from pg_constraint where connamespace = current_schema()::regnamespace
    union all select concat(tgname, tgrelid, tgenabled) from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = current_schema()::regnamespace
    union all select concat(proname, md5(prosrc)) from pg_proc where pronamespace = current_schema()::regnamespace
  ) items`;
/** Generated columns are left out: they can only be computed. */
const TABLES = `
  select format('%I.%I', current_schema(), relname) as name, quote_ident(relname) as seeds,
    string_agg(quote_ident(attname), ', ' order by attnum) as columns
  from pg_class join pg_attribute on attrelid = pg_class.oid
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'schema_migration'
    and attnum > 0 and not attisdropped and attgenerated = ''
  group by relname`;
const SEEDS = 'seeds_of_tests';

async function migratedSchema(db: PgliteDb, isFirst: boolean): Promise<string> {
  // The template that a home is copied from has the schema already.
  if (!isFirst) {
    const schema = `"test_${randomUUID()}"`;
    await db.query(`create schema ${schema}`);
    await db.query(`set search_path to ${schema}`);
  }
  await migrate(db);
  return keepSeeds(db);
}

/** Keeps the rows that the migrations made, and a function that puts them back. Returns the fingerprint of the schema. */
async function keepSeeds(db: Db): Promise<string> {
  await db.query(`drop schema if exists ${SEEDS} cascade`);
  await db.query(`create schema ${SEEDS}`);
  const { rows: tables } = await db.query<{ name: string; seeds: string; columns: string }>(TABLES);
  const acts: string[] = [];
  for (const { name, seeds, columns } of tables) {
    acts.push(`delete from ${name};`);
    await db.query(`create table ${SEEDS}.${seeds} as table ${name}`);
    const { rows } = await db.query(`select from ${SEEDS}.${seeds} limit 1`);
    if (rows.length === 0) continue;
    acts.push(
      `insert into ${name} (${columns}) overriding system value select ${columns} from ${SEEDS}.${seeds};`,
    );
  }
  // Without the triggers, which let nobody delete.
  await db.query(
    `create function ${SEEDS}.put_back() returns void language plpgsql
     set session_replication_role = replica as $$ begin ${acts.join('\n')} end $$`,
  );
  return fingerprintOf(db);
}

/** Puts back the rows that the migrations made. False if the last test has changed the schema itself. */
async function putBack(db: Db, fingerprint: string | undefined): Promise<boolean> {
  if (!fingerprint || (await fingerprintOf(db)) !== fingerprint) return false;
  await db.query(`select ${SEEDS}.put_back()`);
  return true;
}

async function fingerprintOf(db: Db): Promise<string> {
  const { rows } = await db.query<{ fingerprint: string }>(FINGERPRINT);
  return (rows[0] as { fingerprint: string }).fingerprint;
}

/** Starts another process that runs the code with the store's door at hand; killed when the test ends. */
export function otherProcess(t: TestContext, code: string, nodeOptions: string[] = []) {
  const program = join(freshFolder(t), 'program.mjs');
  const door = JSON.stringify(new URL('./index.ts', import.meta.url).href);
  writeFileSync(program, `import { lockHome, openDb } from ${door};\n${code}`);
  const child = spawn(process.execPath, [...nodeOptions, program], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const exit = once(child, 'exit');
  const line = async () => {
    const said = await Promise.race([once(child.stdout, 'data'), exit.then(() => undefined)]);
    if (!said) throw new Error(`The process ended without a word: ${complaint}`);
    return String(said[0]).trim();
  };
  /** Ends it as a crash would. */
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  return { line, kill, exit, complaint: () => complaint };
}
