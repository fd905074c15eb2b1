/** Faults before anything runs: of the config, the home, the port. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { trustFile } from '../../src/config/index.ts';
import { openDb } from '../../src/store/index.ts';
import { within } from '../../src/testing/wait.ts';
import { connectPeer } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { INITIALIZE, RawSession, textOf } from '../support/raw-session.ts';
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
  const { code, stderr, messages } = await within(ended, 60_000, 'the end of pml serve');
  return { code, stderr, stdout: messages.map((message) => JSON.stringify(message)).join('\n') };
}

const WRONG: [string, string | object, RegExp][] = [
  [
    'typo',
    { mcpServers: { good: { ...good, comand: 'x' } } },
    /mcpServers\.good\.comand: .*did you mean \W*command/i,
  ],
  ['type', { sandbox: { timeoutMs: 'soon' } }, /sandbox\.timeoutMs/],
  ['syntax', '{ "mcpServers": { "a": { "command": "x" ] } }', /pml\.json:1:41: expected/],
  ['empty', '', /pml\.json.*empty|pml\.json:1:1/],
  ['list', '[]', /pml\.json.*(object|\{)/],
  ['both', { mcpServers: { a: { command: 'x', url: 'http://localhost/' } } }, /mcpServers\.a.*both/],
];
for (const [name, config, words] of WRONG) {
  test(`a config that is wrong (${name}) leaves the client connected, and all it reads names the file and the path`, async () => {
    const session = new RawSession(pml, { cwd: project(name, config) });
    await assertExplained(session, words);
    assert.match(session.stderr, /^pml: .*pml\.json/);
    assert.match(session.stderr, words);
    assert.doesNotMatch(session.stderr, /\n\s+at /, 'no stack');
    await assertUnharmed(other);
  });
}

/** Asserts that the instructions and the answers of a session say what is wrong, and that it offers nothing else. */
async function assertExplained(session: RawSession, words: RegExp): Promise<void> {
  const { result } = await session.request('initialize', INITIALIZE);
  assert.match(String(result?.instructions), words);
  assert.match(String(result?.instructions), /`pml doctor`.*reconnect/s);
  const listed = (await session.request('tools/list')).result as { tools: { name: string }[] };
  assert.deepEqual(
    listed.tools.map((tool) => tool.name),
    ['pml_execute', 'pml_discover'],
  );
  for (const tool of ['pml_execute', 'pml_discover', 'cap_list', 'good:echo']) {
    const answer = await session.call(tool, { intent: 'x' });
    assert.equal(answer.result?.isError, true, tool);
    assert.match(textOf(answer), /"code":"config_invalid"/);
    assert.match(textOf(answer), words);
  }
}

test('a modern client of a wrong config is told the same', async () => {
  const cwd = project('modern', { sandbox: { timeoutMs: 'soon' } });
  const peer = await connectPeer(pml, 'SDK v2 modern', 'stdio', '', { cwd });
  assert.match(String(peer.instructions()), /sandbox\.timeoutMs/);
  const { structuredContent } = await peer.call('pml_execute', { intent: 'x' });
  assert.equal(structuredContent.error.code, 'config_invalid');
});

test('a config that is mended works from the next connection on, and the open one says so', async () => {
  const cwd = project('mended', '{ "mcpServers": }');
  const session = new RawSession(pml, { cwd });
  await assertExplained(session, /pml\.json:1:17/);
  pml.project('mended', { mcpServers: { good } });
  const call = { name: 'pml_execute', arguments: { intent: 'x' } };
  const { result } = await session.request('tools/call', call);
  assert.match(JSON.stringify(result), /can be used again.*reconnected/);
  const next = await new RawSession(pml, { cwd }).initialize();
  // The call waits for the server, as no list does.
  await next.call('good:echo', { text: 'here' });
  assert.match(JSON.stringify(await next.request('tools/list')), /mcp__good__echo/);
});

test('a command refuses a wrong config at once', async () => {
  const cwd = project('command', { sandbox: { timeoutMs: 'soon' } });
  const { code, stderr } = await pml.run(['list'], { cwd });
  assert.equal(code, 1);
  assert.match(stderr, /sandbox\.timeoutMs/);
});

test('pml up and pml doctor say the same about a wrong config', async () => {
  const cwd = project('up', { mcpServers: { good: { ...good, comand: 'x' } } });
  for (const args of [['up', '--port', '0'], ['doctor']]) {
    const { code, stdout, stderr } = await within(
      pml.run(args, { cwd }),
      60_000,
      `the end of pml ${args[0]}`,
    );
    assert.equal(code, 1);
    assert.match(stdout + stderr, /pml\.json.*mcpServers\.good\.comand/s);
  }
  await assertUnharmed(other);
});

test('a config file that is named but missing is named in the message', async () => {
  const missing = new RawSession(pml, { args: ['--config', 'nowhere.json'] });
  await assertExplained(missing, /--config: no such file: .*nowhere\.json/);
  const variable = new RawSession(pml, { env: { PML_CONFIG: '/no/such.json' } });
  await assertExplained(variable, /PML_CONFIG: no such file: \/no\/such\.json/);
});

test('a config that becomes wrong harms no session that is open', async () => {
  pml.configure({ nonsense: true });
  await assertExplained(new RawSession(pml), /nonsense/);
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
    const { code, stdout, stderr } = await within(run(), 60_000, 'the end');
    assert.equal(code, 1);
    assert.match(stdout + stderr, new RegExp(`PML cannot use ${home}.*(ENOTDIR|ENOENT|EEXIST|EACCES|EPERM)`));
    assert.match(stdout + stderr, /PML_HOME must name a folder/);
    assert.doesNotMatch(stdout + stderr, /\n\s+at /, 'no stack');
  }
});

test('pml status says that the config of this folder cannot be used, and still shows what runs', async () => {
  const folder = project('broken-status', '{ "mcpServers": ');
  const { code, stdout, stderr } = await pml.run(['status'], { cwd: folder });
  assert.equal(code, 0);
  assert.match(stdout, /PML (?:\S+ runs as process|is not running)/);
  assert.match(stderr, /^pml: The config of this folder cannot be used: pml\.json:1:\d+: expected a value/);
});

test('a home of a newer PML is refused, with the advice to upgrade', async (t) => {
  const newer = new Pml(t);
  const db = await openDb({ home: newer.home });
  const row = [9999, 'of the future', 'x'];
  await db.query('insert into schema_migration (number, name, checksum) values ($1, $2, $3)', row);
  await db.close();
  const refusal = /The database was made by a newer PML: it has migration 9999.*\n.*Upgrade PML\./;
  const listed = await newer.run(['list']);
  assert.equal(listed.code, 1);
  assert.match(listed.stderr, refusal);
  const served = new RawSession(newer);
  assert.match((await served.ended).stderr, refusal);
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
