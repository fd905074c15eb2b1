/** Another user of the same machine, who listens where PML will connect, and reads what is not protected. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { socketPathOf } from '../../src/daemon/socket-path.js';
import { lockHome } from '../../src/store/index.ts';
import { eventually, within } from '../../src/testing/wait.ts';
import { Pml } from '../support/pml.ts';
import { RawSession } from '../support/raw-session.ts';

const NOBODY = 65_534;
const SECRET = 'the-environment-of-a-session';
/** Listens on a socket that anybody may use, and records what it gets. */
const LISTENER = `
  const { createServer } = require('node:net');
  const { appendFileSync, chmodSync, mkdirSync } = require('node:fs');
  const [path, heard] = process.argv.slice(1);
  mkdirSync(require('node:path').dirname(path), { recursive: true });
  process.umask(0);
  createServer((socket) => socket.on('data', (data) => appendFileSync(heard, data))).listen(path, () => {
    chmodSync(path, 0o777);
    appendFileSync(heard, 'listens;');
  });`;

/** A folder in which everybody may create files, like /tmp. */
const everybodys = mkdtempSync(join(tmpdir(), 'pml-everybody-'));
chmodSync(everybodys, 0o1777);
process.env.TMPDIR = everybodys;
after(() => rmSync(everybodys, { recursive: true, force: true }));

const asNobody = { uid: NOBODY, gid: NOBODY, cwd: '/' };
const canBeNobody =
  process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], asNobody).status === 0;
const needsRoot = {
  skip: !canBeNobody && 'only root can act as another user, who must be able to run Node',
};

/** A PML whose home path is so long that its socket is in the temporary folder, which everybody can write to. */
function longHome(t: TestContext): { pml: Pml; folder: string } {
  const pml = new Pml(t, {}, { TMPDIR: everybodys, CANARY: SECRET });
  const home = join(pml.dir, 'so-long-a-path-that-it-does-not-fit-into-the-address-of-a-socket'.repeat(2));
  pml.env.PML_HOME = home;
  return { pml, folder: dirname(socketPathOf(home)) };
}

/** Removes the obstacle before the end of the test looks for a daemon there. */
function clearAway({ pml, folder }: { pml: Pml; folder: string }): void {
  pml.onClose(async () => rmSync(folder, { recursive: true, force: true }));
}

/** Lets another user listen there. Returns the file in which that user records what it gets. */
async function listenAsNobody(pml: Pml, path: string): Promise<string> {
  const heard = join(everybodys, `heard-${basename(dirname(path))}-${basename(path)}`);
  const child: ChildProcess = spawn(process.execPath, ['-e', LISTENER, path, heard], {
    ...asNobody,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  pml.onClose(async () => child.kill('SIGKILL'));
  await eventually(() => textOf(heard).includes('listens;'), 'the other user listens');
  return heard;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the error with which `pml serve` refuses to connect. */
async function refusal(pml: Pml): Promise<string> {
  const { ended } = new RawSession(pml);
  const { code, stderr } = await within(ended, 60_000, 'the end of pml serve');
  assert.equal(code, 1);
  return stderr;
}

test(
  'a session sends nothing to another user who listens at the socket of a long home',
  needsRoot,
  async (t) => {
    const { pml, folder } = longHome(t);
    clearAway({ pml, folder });
    const heard = await listenAsNobody(pml, join(folder, 'daemon.sock'));
    assert.match(await refusal(pml), /pml-\w+ belongs to another user/);
    const { code, stderr } = await within(pml.run(['up', '--port', '0']), 60_000, 'the end of pml up');
    assert.equal(code, 1);
    assert.match(stderr, /belongs to another user/);
    assert.equal(textOf(heard), 'listens;');
  },
);

test('a session sends nothing to another user’s socket in a home that was writable', needsRoot, async (t) => {
  const pml = new Pml(t, {}, { CANARY: SECRET });
  const home = join(everybodys, 'home');
  mkdirSync(home);
  chmodSync(home, 0o777);
  const heard = await listenAsNobody(pml, join(home, 'daemon.sock'));
  const { ended } = new RawSession(pml, { env: { PML_HOME: home } });
  const { code, stderr } = await within(ended, 60_000, 'the end of pml serve');
  assert.equal(code, 1);
  assert.match(stderr, /daemon\.sock belongs to another user/);
  assert.equal(textOf(heard), 'listens;');
});

test('a socket folder that is a link or open to others, and a socket that is a link, are refused', async (t) => {
  const { pml, folder } = longHome(t);
  clearAway({ pml, folder });
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  assert.match(await refusal(pml), /is open to other users/);
  rmSync(folder, { recursive: true });
  const target = join(pml.dir, 'target');
  mkdirSync(target, { mode: 0o700 });
  symlinkSync(target, folder);
  assert.match(await refusal(pml), /is not a folder/);
  rmSync(folder);
  mkdirSync(folder, { mode: 0o700 });
  symlinkSync(join(target, 'daemon.sock'), join(folder, 'daemon.sock'));
  assert.match(await refusal(pml), /daemon\.sock is a link/);
});

test('a long home works if nobody interferes', async (t) => {
  const { pml, folder } = longHome(t);
  const session = await new RawSession(pml).initialize();
  await session.request('tools/list');
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, 'daemon.sock')).mode & 0o777, 0o600);
});

test('a home that others could access is restricted, with its folders, and the log says so', async (t) => {
  const pml = new Pml(t);
  const folders = ['', 'keys', 'log', 'db'].map((name) => join(pml.home, name));
  const first = await new RawSession(pml).initialize();
  first.child.kill();
  await pml.run(['down']);
  for (const folder of folders) chmodSync(folder, 0o777);
  const session = await new RawSession(pml).initialize();
  await session.request('tools/list');
  for (const folder of folders) assert.equal(statSync(folder).mode & 0o777, 0o700, folder);
  await pml.logged(/WARN +\S+home was open to other users; it no longer is/);
  if (!canBeNobody) return;
  assert.notEqual(spawnSync('ls', [pml.home], { uid: NOBODY, gid: NOBODY }).status, 0);
});

test('a folder that everybody may write to is refused as home', () => {
  writeFileSync(join(everybodys, 'something-else'), '');
  assert.throws(() => lockHome(everybodys), { code: 'home_unusable', message: /everybody may write to it/ });
  assert.equal(statSync(everybodys).mode & 0o7777, 0o1777, 'it stays as it is');
});

test('a home in which another user made the folder for the keys is refused', needsRoot, (t) => {
  const home = mkdtempSync(join(tmpdir(), 'pml-planted-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, 'keys'));
  chownSync(join(home, 'keys'), NOBODY, NOBODY);
  assert.throws(() => lockHome(home), { code: 'home_unusable', message: /keys: it belongs to another user/ });
});
