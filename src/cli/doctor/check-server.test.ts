import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadTrusting } from '../../config/testing.ts';
import { checkServer, checkTimeoutOf, type ServerProblem } from './check-server.ts';

const dir = mkdtempSync(join(tmpdir(), 'pml-doctor-'));
after(() => rmSync(dir, { recursive: true, force: true }));

/** The server of a config that has one. */
function serverOf(entry: object) {
  const file = join(dir, 'pml.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { one: entry } }));
  const env = { HOME: dir, PML_HOME: join(dir, 'home'), PATH: `${dir}:${process.env.PATH}` };
  const [server] = loadTrusting({ cwd: dir, env }).servers;
  assert.ok(server);
  return server;
}

test('a server that may be downloaded first is given the time', () => {
  assert.equal(checkTimeoutOf(serverOf({ command: 'npx', args: ['-y', 'x'] })), 60_000);
  assert.equal(checkTimeoutOf(serverOf({ command: '/usr/bin/uvx', args: ['x'] })), 60_000);
  assert.equal(checkTimeoutOf(serverOf({ command: 'node', args: ['x.js'] })), 10_000);
  assert.equal(checkTimeoutOf(serverOf({ url: 'http://127.0.0.1:9/mcp' })), 10_000);
});

test('a package that npx has only in part is told apart', {
  skip: process.platform === 'win32',
}, async () => {
  const program = join(dir, 'npx');
  writeFileSync(program, '#!/bin/sh\necho "code: \'ERR_MODULE_NOT_FOUND\'" >&2\nexit 1\n');
  chmodSync(program, 0o755);
  const server = serverOf({ command: 'npx', args: ['-y', 'x'], env: { PATH: `${dir}:/bin:/usr/bin` } });
  await assert.rejects(checkServer(server, []), (error: ServerProblem) => {
    assert.match(error.message, /it exited with code 1/);
    assert.match(String(error.hint), /Try it by hand: npx -y x .*delete the folder _npx/);
    return true;
  });
});
