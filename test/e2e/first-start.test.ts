/** While the first daemon of a home starts, `pml serve` answers with PML's own tools and says which servers start. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MODERN_VERSION } from '../../src/gateway/index.ts';
import { lockHome } from '../../src/store/lock.ts';
import { attempt } from '../../src/testing/wait.ts';
import { fixtureServer, Pml, PROGRAM } from '../support/pml.ts';
import { INITIALIZE, type RawOptions, RawSession, textOf, type Wire } from '../support/raw-session.ts';

const EARLY = { PML_FIRST_ANSWERS: 'early' };
/** A client that begins without tools that are late. */
const CLIENT = { name: 'codex-mcp-client', version: '1' };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** A Node that can start PML, but not run it. */
const OLD_NODE = ['/usr/bin/node', '/usr/local/bin/node'].find((node) =>
  /^v2[02]\./.test(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''),
);

/** Holds the home, so that no daemon can start before the act has ended. */
async function withoutDaemon<T>({ home }: Pml, act: () => Promise<T>): Promise<T> {
  const lock = lockHome(home);
  assert.ok(lock, 'no daemon runs');
  try {
    return await act();
  } finally {
    lock.release();
  }
}

function namesIn({ result }: Wire): string[] {
  return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
}

/** Starts a client on an empty home, and returns what it is told while there is no daemon. */
async function connectEarly(t: TestContext, config: object, options: RawOptions = {}) {
  const pml = new Pml(t, config, EARLY);
  const told = await withoutDaemon(pml, async () => {
    const session = new RawSession(pml, options);
    const { result } = await session.request('initialize', { ...INITIALIZE, clientInfo: CLIENT });
    session.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const tools = namesIn(await session.request('tools/list'));
    return { session, instructions: String(result?.instructions), tools };
  });
  return { pml, ...told };
}

test('a client of an empty home gets PML’s own tools at once, and hears of the servers’ when they are there', async (t) => {
  const config = { mcpServers: { good: fixtureServer('hostile-stdio.ts') } };
  const { session, tools, instructions } = await connectEarly(t, config);
  assert.ok(tools.includes('pml_execute') && tools.includes('pml_discover') && tools.includes('cap_list'));
  assert.ok(!tools.includes('mcp__good__echo'));
  assert.match(instructions, /For each task/);
  assert.match(instructions, /Servers, with their number of tools: good \(starting\)\./);
  // A client that never lists again works with what it has.
  const code = 'return await mcp.good.echo({ text: "by code" })';
  const ran = await session.call('pml_execute', { intent: 'echo', code });
  assert.match(textOf(ran), /"result":"by code"/);
  await session.receive(({ method }) => method === 'notifications/tools/list_changed', 'the change');
  assert.ok(namesIn(await session.request('tools/list')).includes('mcp__good__echo'));
});

test('a program, which may list once, is greeted at once, and its list holds the servers’ tools', async (t) => {
  const listed = async () => {
    const pml = new Pml(t, { mcpServers: { good: fixtureServer('hostile-stdio.ts') } }, EARLY);
    const { listing } = await withoutDaemon(pml, async () => {
      const session = new RawSession(pml);
      const { result } = await session.request('initialize', INITIALIZE);
      assert.match(String(result?.instructions), /good \(starting\)/);
      return { listing: session.request('tools/list') };
    });
    return namesIn(await listing).includes('mcp__good__echo');
  };
  // A list waits a few seconds for a new server, which on a busy machine may take longer to start.
  assert.ok(await attempt(listed, (isListed) => isListed));
});

test('the early instructions are those that the daemon writes before any server has started', async (t) => {
  const config = {
    mcpServers: {
      slow: { command: process.execPath, args: ['-e', 'setInterval(() => {}, 60_000)'] },
      lacking: { command: 'x', env: { KEY: '$' + '{NOT_SET_ANYWHERE}' } },
      off: { command: 'x', disabled: true },
    },
    expose: 'lean',
  };
  const { pml, session, instructions } = await connectEarly(t, config);
  await session.call('cap_list');
  const later = new RawSession(pml);
  const { result } = await later.request('initialize', INITIALIZE);
  assert.match(instructions, /slow \(starting\)\*/);
  assert.match(instructions, /Down: lacking \(was not started: .*NOT_SET_ANYWHERE/);
  assert.equal(result?.instructions, instructions);
});

test('a modern client is answered early, too, and an old Node suffices', async (t) => {
  const pml = new Pml(t, { mcpServers: { good: fixtureServer('hostile-stdio.ts') } }, EARLY);
  if (!OLD_NODE) t.diagnostic('There is no Node older than 24 here: tried with this one.');
  const { session } = await withoutDaemon(pml, async () => {
    const session = new RawSession(pml, OLD_NODE ? { node: OLD_NODE } : {});
    const { result } = await session.request('server/discover', { _meta: META });
    assert.match(String(result?.instructions), /good \(starting\)/);
    assert.ok(namesIn(await session.request('tools/list', { _meta: META })).includes('pml_execute'));
    return { session };
  });
  const call = { name: 'mcp__good__echo', arguments: { text: 'by name' }, _meta: META };
  assert.equal(textOf(await session.request('tools/call', call)), 'by name');
});

test('without a config it says so at once', async (t) => {
  const pml = new Pml(t, {}, EARLY);
  rmSync(join(pml.dir, 'pml.json'));
  const { session } = await withoutDaemon(pml, async () => {
    const session = new RawSession(pml);
    const { result } = await session.request('initialize', INITIALIZE);
    assert.match(String(result?.instructions), /^0 servers\. Next: pml init .*No pml\.json was found/);
    return { session };
  });
  assert.match(textOf(await session.call('pml_discover', { intent: 'x' })), /0 servers/);
});

test('a broken config is explained, as ever', async (t) => {
  const pml = new Pml(t, {}, EARLY);
  writeFileSync(join(pml.dir, 'pml.json'), '{ "mcpServers": { "a": ');
  const { result } = await new RawSession(pml).request('initialize', INITIALIZE);
  assert.match(String(result?.instructions), /^PML cannot be used in this session/);
});

test('an agent is told what it may use, and no more', async (t) => {
  const pml = new Pml(t, { agents: { a: { systemPrompt: 'x' } } }, EARLY);
  const session = new RawSession(pml, { args: ['--agent', 'a'] });
  const { result } = await session.request('initialize', INITIALIZE);
  assert.match(String(result?.instructions), /finds tools, with signatures/);
  assert.ok(!namesIn(await session.request('tools/list')).includes('cap_rename'));
});

test('`pml serve` loads a few files, and none of the daemon’s', () => {
  const loaded = new Map<string, string>();
  const load = (file: string) => {
    if (loaded.has(file)) return;
    const source = readFileSync(file, 'utf8');
    loaded.set(file, source);
    for (const [, path = ''] of source.matchAll(/(?:from|import|import\() ?"(\.[^"]+)"/g))
      load(resolve(dirname(file), path));
  };
  load(resolve(dirname(PROGRAM), '../dist/cli/stdio-bridge.js'));
  const all = [...loaded.values()].join('');
  assert.ok(all.includes('function firstInstructions'), 'what it loads on demand is among them');
  assert.ok(!all.includes('class Daemon ') && !all.includes('class Workspace '));
  assert.ok(loaded.size < 30, [...loaded.keys()].join('\n'));
});
