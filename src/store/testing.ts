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
    const databaseUrl = await freshDatabase();
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
      await dropDatabase(databaseUrl);
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

let shared: { home: string; opening: Promise<PgliteDb>; schema: Schema | undefined } | undefined;

after(async () => {
  if (!shared) return;
  const db = await shared.opening.catch(() => undefined);
  await db?.close();
  rmSync(shared.home, { recursive: true, force: true });
});

// An engine takes half a second to open, a schema a third of one to migrate: one engine for a test file, one schema until a
// test changes more than its rows.
async function freshSchema(): Promise<Db> {
  if (!shared) {
    const home = mkdtempSync(join(scratchRoot(), 'pml-test-'));
    shared = { home, opening: openPglite({ home }), schema: undefined };
  }
  const db = await shared.opening;
  shared.schema = (await emptied(db, shared.schema)) ?? (await migratedSchema(db, !shared.schema));
  return {
    engine: db.engine,
    query: (sql, params, options) => db.query(sql, params, options),
    notify: (channel, payload) => db.notify(channel, payload),
    transaction: (body) => db.transaction(body),
    listen: (channel, onPayload, onGap) => db.listen(channel, onPayload, onGap),
    close: async () => {},
  };
}

interface Schema {
  tables: readonly { name: string; columns: string }[];
  /** Changes whenever a table, a column, a constraint or a trigger does. */
  fingerprint: string;
}

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
  select quote_ident(relname) as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns
  from pg_class join pg_attribute on attrelid = pg_class.oid
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'schema_migration'
    and attnum > 0 and not attisdropped and attgenerated = ''
  group by relname`;
const SEEDS = 'seeds_of_tests';

async function migratedSchema(db: PgliteDb, isFirst: boolean): Promise<Schema> {
  // The template that a home is copied from has the schema already.
  if (!isFirst) {
    const schema = `"test_${randomUUID()}"`;
    await db.query(`create schema ${schema}`);
    await db.query(`set search_path to ${schema}`);
  }
  await migrate(db);
  await db.query(`drop schema if exists ${SEEDS} cascade`);
  await db.query(`create schema ${SEEDS}`);
  const { rows: tables } = await db.query<Schema['tables'][number]>(TABLES);
  for (const { name } of tables) await db.query(`create table ${SEEDS}.${name} as table ${name}`);
  return { tables, fingerprint: await fingerprintOf(db) };
}

/** Puts back the rows that the migrations made. Undefined if the last test has changed the schema itself. */
async function emptied(db: PgliteDb, schema: Schema | undefined): Promise<Schema | undefined> {
  if (!schema || (await fingerprintOf(db)) !== schema.fingerprint) return undefined;
  await db.transaction(async (tx) => {
    // Without the triggers, which let nobody delete.
    await tx.query('set local session_replication_role = replica');
    for (const { name, columns } of schema.tables) {
      await tx.query(`delete from ${name}`);
      await tx.query(
        `insert into ${name} (${columns}) overriding system value select ${columns} from ${SEEDS}.${name}`,
      );
    }
  });
  return schema;
}

async function fingerprintOf(db: PgliteDb): Promise<string> {
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
