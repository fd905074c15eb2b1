import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { trustFile } from '../config/index.ts';
import { assertSameDatabase, loadClientConfig, principalOf } from './client-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'pml-client-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a client on another database is refused', () => {
  assertSameDatabase('/home', {}, {});
  assertSameDatabase('/home', { PML_DATABASE_URL: '' }, {});
  assertSameDatabase('/home', { PML_DATABASE_URL: 'postgres://a/b' }, { PML_DATABASE_URL: 'postgres://a/b' });
  const other = { PML_DATABASE_URL: 'postgres://a/c' };
  assert.throws(() => assertSameDatabase('/home', {}, other), { code: 'daemon_running', hint: /pml down/ });
  assert.throws(() => assertSameDatabase('/home', other, {}), { code: 'daemon_running' });
});

test('the daemon’s home decides what is trusted, not the home that the client names', () => {
  const [daemonHome, clientHome] = [join(folder, 'daemon'), join(folder, 'client')];
  const file = join(folder, 'pml.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { fs: { command: 'true' } } }));
  trustFile(clientHome, file);
  const request = { cwd: folder, env: { PML_HOME: clientHome } };
  assert.equal(loadClientConfig(daemonHome, request).servers.length, 0);
  trustFile(daemonHome, file);
  assert.equal(loadClientConfig(daemonHome, request).servers.length, 1);
});

test('flags of the client win, and its user acts in the scope of the config', () => {
  const env = { PML_HOME: folder, PML_USER: 'ana', PML_ORG: 'acme', PML_PROJECT: 'web', PML_PORT: '4000' };
  const config = loadClientConfig(folder, { cwd: folder, env, port: 5000, host: undefined });
  assert.equal(config.port, 5000);
  assert.equal(config.host, '127.0.0.1');
  const { user, org, project } = principalOf(config);
  assert.deepEqual([user, org, project], ['ana', 'acme', 'web']);
});
