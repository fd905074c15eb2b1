import assert from 'node:assert/strict';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDb } from './index.ts';
import { freshFolder } from './testing.ts';

// Writing to /dev/full fails as on a disk without space, so a link to it fills the disk for one file.
const linuxOnly = { skip: process.platform !== 'linux' };
const full = { code: 'home_unusable', message: /No space left on device/ };

test('a table that cannot grow fails the statement and nothing else', linuxOnly, async (t) => {
  const home = freshFolder(t);
  const preparing = await openDb({ home });
  await preparing.query('create table t (x text)');
  await preparing.query('create table u (x text)');
  const { rows } = await preparing.query<{ path: string }>(`select pg_relation_filepath('t') as path`);
  await preparing.close();
  const file = join(home, 'db', rows[0]?.path ?? '');
  renameSync(file, `${file}.aside`);
  symlinkSync('/dev/full', file);

  const db = await openDb({ home });
  t.after(() => db.close());
  await assert.rejects(db.query(`insert into t values ('lost')`), full);

  await db.query(`insert into u values ('kept')`);
  assert.deepEqual((await db.query('select x from u')).rows, [{ x: 'kept' }]);
});

test('a log that cannot grow ends the engine, and the next request starts another', linuxOnly, async (t) => {
  const home = freshFolder(t);
  const db = await openDb({ home });
  t.after(() => db.close());
  await db.query('create table t (x text)');
  await db.query(`insert into t values ('kept')`);
  const gap = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<string>();
  await db.listen('changes', heard.resolve, gap.resolve);
  const { rows } = await db.query<{ next: string }>(
    `select pg_walfile_name(pg_current_wal_insert_lsn() + 16 * 1024 * 1024) as next`,
  );
  const nextLogFile = join(home, 'db', 'pg_wal', rows[0]?.next ?? '');
  symlinkSync('/dev/full', nextLogFile);

  const tooMuch = `insert into t select string_agg(md5(random()::text), '') from generate_series(1, 700000) n group by n % 7000`;
  const waiting = db.transaction((tx) => tx.query(tooMuch));
  const behind = db.query('select 1');
  await assert.rejects(waiting, full);
  await behind;

  rmSync(nextLogFile, { force: true });
  assert.deepEqual((await db.query('select x from t')).rows, [{ x: 'kept' }]);
  await gap.promise;
  await db.query(`select pg_notify('changes', 'heard again')`);
  assert.equal(await heard.promise, 'heard again');
});
