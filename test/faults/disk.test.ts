/** A disk that is full: at the start, and later. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually, within } from '../../src/testing/wait.ts';
import { usageOf } from '../support/journal-rows.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';

const server = fixtureServer('hostile-stdio.ts');

/** A disk of this size, and a PML whose home is on it. Nothing, and a loud skip, where none can be mounted. */
function onDisk(
  t: TestContext,
  size: string,
): { pml: Pml; home: string; fill: () => void; free: () => void } | undefined {
  const mount = mkdtempSync(join(tmpdir(), 'pml-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', mount], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(mount);
    t.skip(`no disk can be mounted here, so a full one cannot be tried: ${(error as Error).message.trim()}`);
    return undefined;
  }
  const home = join(mount, 'home');
  const pml = new Pml(t, { mcpServers: { good: server } }, { PML_HOME: home });
  t.after(() => {
    execFileSync('umount', ['-l', mount]);
    rmdirSync(mount);
  });
  const ballast = join(mount, 'ballast');
  return { pml, home, fill: () => fill(ballast), free: () => rmSync(ballast) };
}

function fill(file: string): void {
  for (const size of [1 << 20, 1 << 12, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // Full, to within this size.
    }
  }
}

test('a disk that is too small ends the start with the path, the reason and what to do', async (t) => {
  const disk = onDisk(t, '4m');
  if (!disk) return;
  const { pml, home } = disk;
  for (const finished of [
    await within(new RawSession(pml).ended, 60_000, 'the end of pml serve'),
    await within(pml.run(['up', '--port', '0']), 60_000, 'the end of pml up'),
  ]) {
    assert.equal(finished.code, 1);
    assert.match(finished.stderr, new RegExp(`PML cannot use ${home}`));
    assert.match(finished.stderr, /no space left on the disk; a new database takes about 50 MB/);
    assert.match(finished.stderr, /PML_HOME must name a folder on a local disk with free space/);
    assert.doesNotMatch(finished.stderr, /\n\s+at /, 'no stack');
    assert.ok(!existsSync(join(home, 'db.new')), 'what it took is given back');
  }
});

test('a disk that fills later: calls are answered, and stored when there is space again', async (t) => {
  const disk = onDisk(t, '160m');
  if (!disk) return;
  const { pml, home, fill, free } = disk;
  const up = await pml.up();
  const session = await new RawSession(pml).initialize();
  const backlog = async () => {
    const metrics = await (await fetch(`${up.url}/metrics`)).text();
    return Number(/^pml_journal_backlog (\d+)/m.exec(metrics)?.[1]);
  };
  let answered = 0;
  const call = async (times: number) => {
    for (let i = 0; i < times; i++) {
      assert.equal(textOf(await session.call('good:echo', { text: `${i}` })), `${i}`);
      answered += 1;
    }
  };
  await call(20);
  await eventually(async () => (await backlog()) === 0, 'the first calls are stored');
  fill();
  const filled = performance.now();
  await eventually(async () => {
    await call(100);
    // Rows wait for their batch too, up to two seconds.
    return (await backlog()) > 200 && performance.now() - filled > 5000;
  }, 'rows wait');
  free();
  await eventually(async () => (await backlog()) === 0, 'all calls are stored');
  await call(20);
  const { code, stderr } = await up.stop();
  assert.equal(code, 0);
  assert.equal(stderr.match(/calls could not be journalled, trying again: .*No space left/g)?.length, 1);
  assert.match(stderr, /calls are journalled again/);
  assert.equal((await usageOf(home)).length, answered);
});

test('a stop on a full disk ends, and says what could not be stored', async (t) => {
  const disk = onDisk(t, '160m');
  if (!disk) return;
  const { pml, home, fill } = disk;
  const up = await pml.up();
  const session = await new RawSession(pml).initialize();
  await session.call('good:echo', { text: 'before' });
  fill();
  await eventually(async () => {
    for (let i = 0; i < 100; i++) await session.call('good:echo', { text: `${i}` });
    return readFileSync(join(home, 'log', 'pml.log'), 'utf8').includes('could not be journalled');
  }, 'rows wait');
  const { code, stderr } = await within(up.stop('SIGTERM'), 60_000, 'the end of pml up');
  assert.equal(code, 0);
  assert.match(stderr, /\d+ calls could not be stored\. The next start stores those/);
});
