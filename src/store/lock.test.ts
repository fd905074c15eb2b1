import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lockHome } from './index.ts';
import { freshFolder, otherProcess } from './testing.ts';

/** Starts another process that tries to own the home, prints the result, and lives until it is killed. */
function otherOwner(t: TestContext, home: string) {
  const code = `
    console.log(lockHome(${JSON.stringify(home)}) ? 'owned' : 'refused');
    setInterval(() => {}, 1000);`;
  return otherProcess(t, code);
}

test('a home that another process owns is refused until that process is killed', async (t) => {
  const home = freshFolder(t);
  const owner = otherOwner(t, home);
  assert.equal(await owner.line(), 'owned');
  assert.equal(lockHome(home), null);
  assert.equal(owner.complaint(), '', 'SQLite is used without a warning');

  await owner.kill();

  const lock = lockHome(home);
  assert.ok(lock);
  lock.release();
});

test('an owned home is refused to every other process until it is released', async (t) => {
  const home = freshFolder(t);
  const lock = lockHome(home);
  assert.ok(lock);
  assert.equal(await otherOwner(t, home).line(), 'refused');
  lock.release();
  assert.equal(await otherOwner(t, home).line(), 'owned');
});

test('a home has one owner within a process too, and a second attempt does not lose it', async (t) => {
  const home = freshFolder(t);
  const lock = lockHome(home);
  assert.equal(lockHome(home), null);
  assert.equal(await otherOwner(t, home).line(), 'refused');
  lock?.release();
});

test('a new home is for its owner alone; an existing one keeps its mode', (t) => {
  const folder = freshFolder(t);
  const fresh = join(folder, 'deep', 'home');
  lockHome(fresh)?.release();
  assert.equal(statSync(fresh).mode & 0o777, 0o700);

  const shared = join(folder, 'shared');
  mkdirSync(shared, { mode: 0o755 });
  lockHome(shared)?.release();
  assert.equal(statSync(shared).mode & 0o777, 0o755);
});

test('the error for a home that cannot be made names the folder, the reason and the remedy', (t) => {
  const file = join(freshFolder(t), 'file');
  writeFileSync(file, '');
  const home = join(file, 'home');
  assert.throws(
    () => lockHome(home),
    (error: Error & { code?: string; hint?: string }) => {
      assert.equal(error.code, 'home_unusable');
      assert.ok(error.message.includes(home), error.message);
      assert.match(error.message, /ENOTDIR|not a directory/);
      assert.match(error.hint ?? '', /PML_HOME/);
      return true;
    },
  );
});

test('the error for a home that cannot be written quotes the system', {
  skip: process.platform !== 'linux',
}, () => {
  // Not even root may create a file there.
  // Node's own recursive mkdir never returns from the first of these.
  assert.throws(() => lockHome('/proc/self/deep/home'), {
    code: 'home_unusable',
    message: /ENOENT|EACCES|EPERM/,
  });
  assert.throws(() => lockHome('/proc/self'), {
    code: 'home_unusable',
    message: /\/proc\/self\/lock.*(ENOENT|EACCES|EPERM)/,
  });
});
