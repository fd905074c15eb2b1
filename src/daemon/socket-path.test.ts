import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ownershipAdvice, ownershipProblem, socketPathOf } from './socket-path.js';

const folder = mkdtempSync(join(tmpdir(), 'pml-socket-path-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const onUnix = { skip: process.platform === 'win32' && 'named pipes have no owner to check' };

test('the socket lies in the home, unless the path is too long for a socket address', onUnix, () => {
  assert.equal(socketPathOf('/home/ana/.pml'), '/home/ana/.pml/daemon.sock');
  const long = `/home/${'x'.repeat(100)}`;
  assert.match(socketPathOf(long), /pml-[0-9a-f]{16}\/daemon\.sock$/);
  assert.ok(socketPathOf(long).length <= 100);
  assert.equal(socketPathOf(long), socketPathOf(long));
  assert.notEqual(socketPathOf(long), socketPathOf(`${long}y`));
});

test('a path with nothing at it, and a file of the user, are no problem', onUnix, () => {
  const path = join(folder, 'daemon.sock');
  assert.equal(ownershipProblem(folder, path), undefined);
  assert.equal(ownershipProblem('/another/home', join(folder, 'missing', 'daemon.sock')), undefined);
  writeFileSync(path, '');
  assert.equal(ownershipProblem(folder, path), undefined);
});

test('a link at the path is a problem', onUnix, () => {
  const path = join(folder, 'linked.sock');
  symlinkSync('/elsewhere', path);
  assert.equal(ownershipProblem(folder, path), `${path} is a link`);
});

test('a folder outside the home that is open to others, or a file, is a problem', onUnix, () => {
  const path = join(folder, 'short', 'daemon.sock');
  mkdirSync(dirname(path));
  chmodSync(dirname(path), 0o755);
  assert.equal(ownershipProblem('/long/home', path), `${dirname(path)} is open to other users`);
  chmodSync(dirname(path), 0o700);
  assert.equal(ownershipProblem('/long/home', path), undefined);
  writeFileSync(join(folder, 'file'), '');
  assert.match(String(ownershipProblem('/long/home', join(folder, 'file', 'x.sock'))), /is not a folder$/);
});

test('the advice names the socket in the home, or its folder elsewhere', () => {
  assert.match(
    ownershipAdvice('/home', join('/home', 'daemon.sock')),
    /remove .*daemon\.sock, .*another folder/,
  );
  assert.match(
    ownershipAdvice('/home', join('/tmp', 'pml', 'daemon.sock')),
    /remove .*pml, .*a shorter path/,
  );
});
