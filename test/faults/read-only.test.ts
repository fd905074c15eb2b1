/** A home on a disk that has become read-only. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { waitForNoProcesses, within } from '../../src/testing/wait.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';

/** A disk that can be made read-only. Nothing, and a loud skip, where none can be mounted. */
function onDisk(t: TestContext): { pml: Pml; home: string; remount: (how: 'ro' | 'rw') => void } | undefined {
  const mount = mkdtempSync(join(tmpdir(), 'pml-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', mount], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(mount);
    t.skip(
      `no disk can be mounted here, so a read-only one cannot be tried: ${(error as Error).message.trim()}`,
    );
    return undefined;
  }
  const home = join(mount, 'home');
  const pml = new Pml(t, { mcpServers: { good: fixtureServer('hostile-stdio.ts') } }, { PML_HOME: home });
  t.after(() => {
    execFileSync('umount', ['-l', mount]);
    rmdirSync(mount);
  });
  return { pml, home, remount: (how) => void execFileSync('mount', ['-o', `remount,${how}`, mount]) };
}

test('a read-only home is refused with the path and the reason, and works again when it can be written', async (t) => {
  const disk = onDisk(t);
  if (!disk) return;
  const { pml, home, remount } = disk;
  assert.equal((await pml.run(['list'])).code, 0);
  await pml.run(['down']);
  // The daemon lets go of its files a moment after it has let go of its clients.
  await waitForNoProcesses(pml.dir);

  remount('ro');
  for (const finished of [
    await within(new RawSession(pml).ended, 60_000, 'the end of pml serve'),
    await within(pml.run(['up', '--port', '0']), 60_000, 'the end of pml up'),
  ]) {
    assert.equal(finished.code, 1);
    assert.match(finished.stderr, new RegExp(`PML cannot use ${home}.*(EROFS|read-only)`, 'i'));
    assert.doesNotMatch(finished.stderr, /\n\s+at /, 'no stack');
  }
  const doctor = await pml.run(['doctor']);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /FAIL +database .*(EROFS|read-only)/i);
  const status = await pml.run(['status']);
  assert.match(status.stdout, /PML is not running/);

  remount('rw');
  const again = await new RawSession(pml).initialize();
  assert.equal(textOf(await again.call('good:echo', { text: 'again' })), 'again');
});
