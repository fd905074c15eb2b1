import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { emptyDatabase } from '../testing/postgres.ts';
import type { Tx } from './db.ts';
import { type Db, openDb } from './index.ts';
import { type Migration, migrate, readMigrations } from './migrate.ts';
import { freshFolder, onBothEngines, otherProcess } from './testing.ts';

const known = readMigrations();

function another(sql: string): Migration {
  return { number: known.length + 1, name: 'another', sql, checksum: sql };
}

/** The store's own transactions can also run scripts; `Db` does not show that. */
const migratable = (db: Db) => db as Db & { transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> };

async function applied(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>('select name from schema_migration order by number');
  return rows.map((row) => row.name);
}

onBothEngines('every migration runs once and is recorded', async ({ db }) => {
  await migrate(migratable(db));
  assert.deepEqual(
    await applied(db),
    known.map((migration) => migration.name),
  );
  await db.query('select * from tool_usage, upstream_memory');
});

onBothEngines('openers that start together take turns', async ({ db, again }) => {
  const migrations = [...known, another('create table once (n integer)')];
  const openers = await Promise.all([again(), again(), again()]);
  await Promise.all(openers.map((opener) => migrate(migratable(opener), migrations)));
  assert.deepEqual((await applied(db)).slice(-1), ['another']);
});

onBothEngines('a migration that fails leaves nothing behind', async ({ db }) => {
  const failing = another('create table half (n integer); select 1/0;');
  await assert.rejects(migrate(migratable(db), [...known, failing]), { code: '22012' });
  await assert.rejects(db.query('select * from half'), { code: '42P01' });
  assert.equal((await applied(db)).length, known.length);
});

onBothEngines('a migration that was changed after it ran is refused', async ({ db }) => {
  const changed = known.map((migration, index) =>
    index === 0 ? { ...migration, checksum: 'other' } : migration,
  );
  await assert.rejects(migrate(migratable(db), changed), {
    name: 'PmlError',
    message: /Migration 1 \(tool_usage\) was changed after it ran/,
  });
});

onBothEngines('a database of a newer PML is refused with the advice to upgrade', async ({ db }) => {
  await assert.rejects(migrate(migratable(db), known.slice(0, -1)), {
    name: 'PmlError',
    message: /made by a newer PML/,
    hint: 'Upgrade PML.',
  });
});

test('migrations out of sequence are refused', (t) => {
  const folder = freshFolder(t);
  writeFileSync(join(folder, '001_first.sql'), '');
  writeFileSync(join(folder, '003_third.sql'), '');
  assert.throws(() => readMigrations(pathToFileURL(`${folder}/`)), /003_third\.sql is out of sequence/);
});

test('several processes can open one empty PostgreSQL database at the same time', async (t) => {
  const databaseUrl = await emptyDatabase();
  const code = `
    const db = await openDb({ home: '', databaseUrl: ${JSON.stringify(databaseUrl)} });
    await db.query('select * from tool_usage');
    console.log('served');
    await db.close();`;
  const openers = Array.from({ length: 4 }, () => otherProcess(t, code));
  const said = await Promise.all(openers.map((opener) => opener.line()));
  assert.deepEqual(said, Array(4).fill('served'));

  const db = await openDb({ home: '', databaseUrl });
  assert.equal((await applied(db)).length, known.length);
  await db.close();
});
