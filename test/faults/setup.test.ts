/** What is wrong before anything runs: the config, the home, the port. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { trustFile } from '../../src/config/index.ts';
import { within } from '../../src/testing/wait.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession } from '../support/raw-session.ts';
import { assertUnharmed } from './bystander.ts';

const good = fixtureServer('hostile-stdio.ts');
const pml = new Pml({ after }, { mcpServers: { good } });
let other: Client;
before(async () => {
  other = await pml.stdio();
});

/** A project folder of its own, on the same home. */
function project(name: string, config: string | object): string {
  const folder = join(pml.dir, name);
  mkdirSync(folder);
  const file = join(folder, 'pml.json');
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  if (typeof config !== 'string') trustFile(pml.home, file);
  return folder;
}

/** How `pml serve` ends in this folder. */
async function serveIn(cwd: string, env: Record<string, string> = {}, args: string[] = []) {
  const { ended } = new RawSession(pml, { cwd, env, args });
  const { code, stderr, messages } = await within(ended, 10_000, 'the end of pml serve');
  return { code, stderr, stdout: messages.map((message) => JSON.stringify(message)).join('\n') };
}

const UNSET = '$' + '{PML_TEST_UNSET}';

const WRONG: [string, string | object, RegExp][] = [
  [
    'typo',
    { mcpServers: { good: { ...good, comand: 'x' } } },
    /mcpServers\.good\.comand: .*did you mean "command"/i,
  ],
  ['type', { sandbox: { timeoutMs: 'soon' } }, /sandbox\.timeoutMs/],
  ['syntax', '{ "mcpServers": { "a": { "command": "x" ] } }', /pml\.json:1:41: expected/],
  ['empty', '', /pml\.json.*empty|pml\.json:1:1/],
  ['list', '[]', /pml\.json.*(object|\{)/],
  ['both', { mcpServers: { a: { command: 'x', url: 'http://localhost/' } } }, /mcpServers\.a.*both/],
  [
    'unset',
    { mcpServers: { a: { command: 'x', env: { KEY: UNSET } } } },
    /mcpServers\.a\.env\.KEY: .*PML_TEST_UNSET is not set/,
  ],
];
for (const [name, config, words] of WRONG) {
  test(`a config that is wrong (${name}) ends pml serve with the file and the path; others go on`, async () => {
    const { code, stderr, stdout } = await serveIn(project(name, config));
    assert.equal(code, 1);
    assert.match(stderr, /^pml: .*pml\.json/);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
    assert.equal(stdout, '', 'stdout carries protocol only');
    await assertUnharmed(other);
  });
}

test('pml up and pml doctor say the same about a wrong config', async () => {
  const cwd = project('up', { mcpServers: { good: { ...good, comand: 'x' } } });
  for (const args of [['up', '--port', '0'], ['doctor']]) {
    const { code, stdout, stderr } = await within(
      pml.run(args, { cwd }),
      10_000,
      `the end of pml ${args[0]}`,
    );
    assert.equal(code, 1);
    assert.match(stdout + stderr, /pml\.json.*mcpServers\.good\.comand/s);
  }
  await assertUnharmed(other);
});

test('a config file that is named but missing is named in the message', async () => {
  const missing = await serveIn(pml.dir, {}, ['--config', 'nowhere.json']);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /--config: no such file: .*nowhere\.json/);
  const variable = await serveIn(pml.dir, { PML_CONFIG: '/no/such.json' });
  assert.equal(variable.code, 1);
  assert.match(variable.stderr, /PML_CONFIG: no such file: \/no\/such\.json/);
});

test('a config that becomes wrong harms no session that is open', async () => {
  pml.configure({ nonsense: true });
  const { code, stderr } = await serveIn(pml.dir);
  assert.equal(code, 1);
  assert.match(stderr, /nonsense/);
  await assertUnharmed(other);
  pml.configure({ mcpServers: { good } });
});

test('a home that cannot be written ends with its path, the reason and what to do', async () => {
  const file = join(pml.dir, 'a-file');
  writeFileSync(file, '');
  // Root may write everywhere but under a file, and in a folder of the kernel's.
  const [underFile, inKernel] = [join(file, 'home'), '/proc/1/pml'];
  for (const [home, run] of [
    [underFile, () => serveIn(pml.dir, { PML_HOME: underFile })],
    [inKernel, () => serveIn(pml.dir, { PML_HOME: inKernel })],
    [underFile, () => pml.run(['up', '--port', '0'], { env: { PML_HOME: underFile } })],
    [inKernel, () => pml.run(['doctor'], { env: { PML_HOME: inKernel } })],
  ] as const) {
    const { code, stdout, stderr } = await within(run(), 10_000, 'the end');
    assert.equal(code, 1);
    assert.match(stdout + stderr, new RegExp(`PML cannot use ${home}.*(ENOTDIR|ENOENT|EEXIST|EACCES|EPERM)`));
    assert.match(stdout + stderr, /PML_HOME must name a folder/);
    assert.doesNotMatch(stdout + stderr, /\n\s+at /, 'no stack');
  }
});

test('settings that are wrong are named with what they may be', async () => {
  for (const [variable, value, words] of [
    ['PML_PORT', 'many', /PML_PORT: expected a port/],
    ['PML_DATABASE_URL', 'mysql://x', /PML_DATABASE_URL: is not a postgres/],
  ] as const) {
    const { code, stderr } = await pml.run(['up'], {
      env: { [variable]: value, PML_HOME: join(pml.dir, variable) },
    });
    assert.equal(code, 1, variable);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
  }
});

test('another database than the daemon uses is refused', async () => {
  const { code, stderr } = await serveIn(pml.dir, { PML_DATABASE_URL: 'postgres://localhost/other' });
  assert.equal(code, 1);
  assert.match(stderr, /runs on another database.*pml down/s);
  await assertUnharmed(other);
});

test('a port in use ends pml up with its number and what to do, and harms nobody', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const fresh = join(pml.dir, 'other-home');
  // Once through the daemon that runs, once as a daemon of its own.
  for (const home of [pml.home, fresh]) {
    const { code, stderr } = await pml.run(['up', '--port', String(port)], { env: { PML_HOME: home } });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
    assert.match(stderr, /--port or PML_PORT/);
  }
  taken.close();
  assert.ok(!existsSync(join(fresh, 'daemon.sock')), 'nothing is left behind');
  await assertUnharmed(other);
});

test('an address that others can reach is refused', async () => {
  const fresh = join(pml.dir, 'never-made');
  for (const host of ['0.0.0.0', '::']) {
    const env = { PML_HOME: host === '::' ? fresh : pml.home };
    const { code, stderr } = await pml.run(['up', '--port', '0', '--host', host], { env });
    assert.equal(code, 1, host);
    assert.match(stderr, new RegExp(`PML refuses to listen on ${host}: no authentication is configured`));
    assert.match(stderr, /--host 127\.0\.0\.1/);
  }
  assert.deepEqual((await statusOf(pml)).http, []);
  assert.ok(!existsSync(fresh), 'no home is made for what is refused');
});
