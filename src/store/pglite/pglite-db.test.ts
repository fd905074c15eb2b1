import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { IS_WHOLE } from '../../testing/effort.ts';
import { type Db, openDb } from '../index.ts';
import { freshFolder, otherProcess } from '../testing.ts';
import { prepareTemplate } from './cluster.ts';
import { openPglite } from './pglite-db.ts';
import { templateFile } from './template-file.ts';

async function open(t: TestContext, home: string): Promise<Db> {
  const db = await openDb({ home });
  t.after(() => db.close());
  return db;
}

/** Starts another process that opens the home, runs code on `db`, and lives until it is killed. */
function otherOpener(t: TestContext, home: string, code: string) {
  const opening = `const db = await openDb({ home: ${JSON.stringify(home)} });`;
  return otherProcess(t, `${opening}\n${code}\nsetInterval(() => {}, 1000);`);
}

/** Starts a process that makes its first cluster, and kills it the moment the copy begins. */
async function killWhileCopying(t: TestContext, home: string): Promise<void> {
  const watcher = watch(home);
  const opener = otherOpener(t, home, '');
  watcher.on('change', (_event, name) => {
    if (name === 'db.new') opener.kill();
  });
  await opener.exit;
  watcher.close();
}

test('a start that is killed while it copies leaves nothing that a later one would open', async (t) => {
  await prepareTemplate();
  let home = '';
  // The copy takes milliseconds: on a busy machine the kill may come too late, and is tried again.
  for (let tries = 0; tries < 30 && (tries === 0 || existsSync(join(home, 'db'))); tries++) {
    home = freshFolder(t);
    await killWhileCopying(t, home);
  }
  assert.ok(
    existsSync(join(home, 'db.new')) && !existsSync(join(home, 'db')),
    'killed in the middle of the copy',
  );

  const db = await open(t, home);

  assert.deepEqual((await db.query('select 1 as one')).rows, [{ one: 1 }]);
  assert.ok(!existsSync(join(home, 'db.new')));
});

test('a database that has just been opened does not make V8 optimise what hardly runs', async (t) => {
  // V8 would optimise in the background, for about a second.
  const statements = `for (const end = Date.now() + 1500; Date.now() < end; )
    await db.query('select count(*) from capability_records where display_name = $1', [String(Date.now())]);`;
  const opener = otherOpener(
    t,
    freshFolder(t),
    `${statements}\nconsole.log(process.resourceUsage().maxRSS);`,
  );
  const peakKb = Number(await opener.line());
  assert.ok(peakKb > 0 && peakKb < 400_000, `${peakKb} KB at the peak`);
});

test('stored data survives the death of its process', async (t) => {
  const home = freshFolder(t);
  const child = otherOpener(
    t,
    home,
    `await db.query('create table t (n integer)');
     await db.query('insert into t select generate_series(1, 1000)');
     console.log('stored');`,
  );
  await child.line();
  await child.kill();
  const db = await open(t, home);
  assert.deepEqual((await db.query('select count(*) from t')).rows, [{ count: 1000 }]);
});

test('a database that another process has open is refused', async (t) => {
  const home = freshFolder(t);
  const child = otherOpener(t, home, `console.log('open');`);
  await child.line();
  await assert.rejects(openDb({ home }), {
    code: 'home_unusable',
    message: /Another process uses the database/,
  });
});

test('without a template the cluster is made from nothing, and progress is reported', async (t) => {
  const home = freshFolder(t);
  const said: string[] = [];
  const template = join(home, 'no-such-template');
  const db = await openPglite({ home, template, onProgress: (message) => said.push(message) });
  t.after(() => db.close());
  assert.equal((await db.query('select 1')).rowCount, 1);
  assert.deepEqual(said, ['Preparing the database (first start only)…']);
});

test('the template is that of the installed PGlite, and no other is kept', async (t) => {
  assert.match(templateFile(), /pglite-\d+\.\d+\.\d+-[0-9a-f]{8}\.zst$/);
  const build = freshFolder(t);
  mkdirSync(join(build, 'pglite-0.0.1'));
  const template = join(build, 'pglite-9.9.9.zst');
  // To make one takes six seconds of processor time, and each installation of a checkout does.
  if (IS_WHOLE) assert.equal(await prepareTemplate(template), true);
  else copyFileSync(templateFile(), template);
  assert.equal(await prepareTemplate(template), false);
  assert.deepEqual(readdirSync(build), ['pglite-9.9.9.zst']);
});

test('a home that cannot be written, or holds something else, is refused by name', async (t) => {
  const folder = freshFolder(t);
  writeFileSync(join(folder, 'file'), '');
  const home = join(folder, 'file', 'home');
  await assert.rejects(openDb({ home }), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'home_unusable');
    assert.ok(error.message.includes(home), error.message);
    return true;
  });
  mkdirSync(join(folder, 'db'));
  await assert.rejects(openDb({ home: folder }), { code: 'home_unusable', message: /holds no database/ });
});

test('the calling thread stays responsive while the database works', async (t) => {
  const db = await open(t, freshFolder(t));
  await db.query('create table t (n bigint, x text)');
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  const insert = () => db.query(`insert into t select n, md5(n::text) from generate_series(1, 2000) n`);
  await Promise.all(Array.from({ length: 100 }, insert));
  await db.query('select count(*) from generate_series(1, 2000000)');
  const [allMs, ownMs] = [process.cpuUsage(all), process.threadCpuUsage(own)].map(
    ({ user, system }) => (user + system) / 1000,
  ) as [number, number];
  t.diagnostic(`${ownMs.toFixed(0)} of ${allMs.toFixed(0)} ms of processor time in the calling thread`);
  assert.ok(ownMs < allMs / 4, `the calling thread worked for ${ownMs} of ${allMs} ms`);
});

test('the database is its owner’s alone, whatever the home is, and its log does not grow with the data written', async (t) => {
  const home = freshFolder(t);
  chmodSync(home, 0o755);
  const db = await open(t, home);
  assert.equal(statSync(join(home, 'db')).mode & 0o777, 0o700);
  await db.query('create table t (x text storage external)');
  for (let i = 0; i < 60; i++) await db.query(`insert into t values (repeat('x', 2000000))`);
  const log = join(home, 'db', 'pg_wal');
  const kept = readdirSync(log).reduce((sum, file) => sum + statSync(join(log, file)).size, 0);
  const { rows } = await db.query<{ written: number }>(
    `select (pg_current_wal_lsn() - '0/0')::int8 as written`,
  );
  const written = rows[0]?.written ?? 0;
  t.diagnostic(`${kept} bytes kept of ${written} written`);
  assert.ok(written > 110_000_000 && kept < 100_000_000, `${kept} bytes kept of ${written} written`);
});
