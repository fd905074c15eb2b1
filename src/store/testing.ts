import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { freshDatabase, scratchRoot } from '../testing/postgres.ts';
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
    }
  });
}

/** An empty folder, removed when the test ends. */
export function freshFolder(t: TestContext): string {
  const folder = mkdtempSync(join(scratchRoot(), 'pml-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let shared: { home: string; opening: Promise<PgliteDb> } | undefined;

after(async () => {
  if (!shared) return;
  const db = await shared.opening.catch(() => undefined);
  await db?.close();
  rmSync(shared.home, { recursive: true, force: true });
});

// An engine takes half a second to open, a schema a few milliseconds: one engine for a test file.
async function freshSchema(): Promise<Db> {
  if (!shared) {
    const home = mkdtempSync(join(scratchRoot(), 'pml-test-'));
    shared = { home, opening: openPglite({ home }) };
  }
  const db = await shared.opening;
  const schema = `"test_${randomUUID()}"`;
  await db.query(`create schema ${schema}`);
  await db.query(`set search_path to ${schema}`);
  await migrate(db);
  return {
    engine: db.engine,
    query: (sql, params, how) => db.query(sql, params, how),
    notify: (channel, payload) => db.notify(channel, payload),
    transaction: (body) => db.transaction(body),
    listen: (channel, hear, onGap) => db.listen(channel, hear, onGap),
    close: async () => {},
  };
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
