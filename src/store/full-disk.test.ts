import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freshFolder, otherProcess } from './testing.ts';

/**
 * Loaded into a process and its workers: while the marker file exists, writing to paths that contain its text fails as on
 * a full disk.
 */
const FULL_DISK = (marker: string) => `
  import fs from 'node:fs';
  const marker = ${JSON.stringify(marker)};
  const { openSync, writeSync } = fs;
  const paths = new Map();
  fs.openSync = (path, ...rest) => {
    const descriptor = openSync(path, ...rest);
    paths.set(descriptor, String(path));
    return descriptor;
  };
  fs.writeSync = (descriptor, ...rest) => {
    if (fs.existsSync(marker) && paths.get(descriptor)?.includes(fs.readFileSync(marker, 'utf8'))) {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 });
    }
    return writeSync(descriptor, ...rest);
  };`;

/** Runs the steps in a process of its own, which has `db`, `fill`, `free` and `failure`; returns their result. */
async function onFillableDisk(t: TestContext, steps: string): Promise<unknown> {
  const home = freshFolder(t);
  const marker = join(home, 'full');
  const disk = join(home, 'disk.mjs');
  writeFileSync(disk, FULL_DISK(marker));
  const code = `
    import { rmSync, writeFileSync } from 'node:fs';
    const fill = (part) => writeFileSync(${JSON.stringify(marker)}, part);
    const free = () => rmSync(${JSON.stringify(marker)});
    const failure = (promise) =>
      promise.then(() => 'none', ({ code, message, hint }) => ({ code, message, hint }));
    const db = await openDb({ home: ${JSON.stringify(home)} });
    await db.query('create table t (x text storage external)');
    await db.query("insert into t values ('kept')");
    const answer = await (async () => {${steps}})();
    await db.close();
    console.log(JSON.stringify(answer));`;
  return JSON.parse(await otherProcess(t, code, ['--import', disk]).line());
}

const TOO_MUCH = `insert into t select repeat('x', 1000000) from generate_series(1, 40)`;

test('if a table cannot grow, only the statement fails', async (t) => {
  const answer = (await onFillableDisk(
    t,
    `fill('/base/');
     const failed = await failure(db.query(${JSON.stringify(TOO_MUCH)}));
     free();
     await db.query("insert into t values ('later')");
     return { failed, rows: (await db.query('select x from t order by x')).rows };`,
  )) as { failed: { code: string; message: string }; rows: unknown };

  assert.equal(answer.failed.code, 'home_unusable');
  assert.match(answer.failed.message, /No space left on device/);
  assert.deepEqual(answer.rows, [{ x: 'kept' }, { x: 'later' }]);
});

test('if the write-ahead log cannot grow, the engine ends and the next request starts another', async (t) => {
  const answer = (await onFillableDisk(
    t,
    `const gap = Promise.withResolvers();
     const heard = Promise.withResolvers();
     await db.listen('changes', heard.resolve, gap.resolve);
     fill('/pg_wal/');
     const failed = failure(db.transaction((tx) => tx.query(${JSON.stringify(TOO_MUCH)})));
     const stillFull = failure(failed.then(() => db.query("insert into t values ('lost')")));
     await stillFull;
     free();
     const { rows } = await db.query('select x from t');
     await gap.promise;
     await db.query("select pg_notify('changes', 'heard again')");
     return { failed: await failed, stillFull: await stillFull, rows, heard: await heard.promise };`,
  )) as {
    failed: { code: string; message: string };
    stillFull: { code: string; message: string };
    rows: unknown;
    heard: string;
  };

  assert.equal(answer.failed.code, 'home_unusable');
  assert.match(answer.failed.message, /No space left on device/);
  assert.equal(answer.stillFull.code, 'home_unusable');
  assert.match(answer.stillFull.message, /No space left on device/);
  assert.deepEqual(answer.rows, [{ x: 'kept' }]);
  assert.equal(answer.heard, 'heard again');
});
