/** While a daemon starts, `pml serve` answers a client's first requests as they were answered last time. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { lockHome } from '../../src/store/lock.ts';
import { eventually } from '../../src/testing/wait.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { INITIALIZE, RawSession, textOf, type Wire } from '../support/raw-session.ts';

const LEGACY_LIST = 'tools/list 2025-11-25';
const MODERN_LIST = 'tools/list 2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

const pml = new Pml({ after }, { mcpServers: { good: fixtureServer('hostile-stdio.ts') } });
const folder = join(pml.home, 'starts');

/** Returns what is remembered of the one config of this file. */
function remembered(): { path: string; answers: Record<string, { tools: { name: string }[] }> } {
  // Beside it may be a draft of its next version.
  const name = readdirSync(folder).find((file) => file.endsWith('.json')) ?? '';
  const path = join(folder, name);
  return { path, ...JSON.parse(readFileSync(path, 'utf8')) };
}

before(async () => {
  const old = await new RawSession(pml).initialize();
  // The call waits for the server, as no list does.
  await old.call('good:echo', { text: 'here' });
  await old.request('tools/list');
  const modern = new RawSession(pml);
  await modern.request('server/discover', { _meta: META });
  await modern.request('tools/list', { _meta: META });
  const isThere = () => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.json'));
  await eventually(() => isThere() && MODERN_LIST in remembered().answers, 'both eras are remembered');
});
beforeEach(async () => {
  await pml.run(['down']);
});

/** Holds the home, so that no daemon can start before the act has ended. */
async function withoutDaemon<T>(act: () => Promise<T>): Promise<T> {
  const lock = lockHome(pml.home);
  assert.ok(lock, 'no daemon runs');
  try {
    return await act();
  } finally {
    lock.release();
  }
}

/** Changes what is remembered as the list of tools: reality is another then. */
function forgetTool(list: string, tool: string): void {
  const { path, ...memory } = remembered();
  const answer = memory.answers[list];
  assert.ok(answer);
  assert.ok(answer.tools.some(({ name }) => name === tool));
  answer.tools = answer.tools.filter(({ name }) => name !== tool);
  writeFileSync(path, JSON.stringify(memory));
}

function namesIn({ result }: Wire): string[] {
  return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
}

const isListChanged = ({ method }: Wire) => method === 'notifications/tools/list_changed';

test('an older client is answered before there is a daemon, and its call as soon as there is', async () => {
  const { session, call } = await withoutDaemon(async () => {
    const session = new RawSession(pml);
    const { result } = await session.request('initialize', INITIALIZE);
    assert.match(String(result?.instructions), /Servers, with their number of tools: good \d/);
    session.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.ok(namesIn(await session.request('tools/list')).includes('mcp__good__echo'));
    assert.deepEqual((await session.request('ping')).result, {});
    return { session, call: session.call('good:echo', { text: 'as soon as' }) };
  });
  assert.equal(textOf(await call), 'as soon as');
  assert.ok(!session.messages.some(({ id }) => id !== undefined), 'no request is answered twice');
  assert.ok(!session.messages.some(isListChanged), 'the list is what it was');
  assert.equal(textOf(await session.call('good:echo', { text: 'later' })), 'later');
});

test('a client is told if the list is another one by now', async () => {
  forgetTool(LEGACY_LIST, 'mcp__good__echo');
  const { session } = await withoutDaemon(async () => {
    const session = await new RawSession(pml).initialize();
    assert.ok(!namesIn(await session.request('tools/list')).includes('mcp__good__echo'));
    return { session };
  });
  await session.receive(isListChanged, 'the change of the list');
  assert.ok(namesIn(await session.request('tools/list')).includes('mcp__good__echo'));
  await eventually(
    () => remembered().answers[LEGACY_LIST]?.tools.some(({ name }) => name === 'mcp__good__echo'),
    'the list is remembered as it is now',
  );
});

test('a modern client is answered, subscribed and told of changes, too', async () => {
  forgetTool(MODERN_LIST, 'mcp__good__echo');
  const { session, listen } = await withoutDaemon(async () => {
    const session = new RawSession(pml);
    const { result } = await session.request('server/discover', { _meta: META });
    assert.match(String(result?.instructions), /good \d/);
    const id = session.begin('subscriptions/listen', {
      notifications: { toolsListChanged: true },
      _meta: META,
    });
    await session.receive(({ method }) => method === 'notifications/subscriptions/acknowledged');
    assert.ok(!namesIn(await session.request('tools/list', { _meta: META })).includes('mcp__good__echo'));
    return { session, listen: id };
  });
  const { params } = await session.receive(isListChanged, 'the change of the list');
  assert.deepEqual(params?._meta, { [SUBSCRIPTION]: listen });
  const { result } = await session.request('tools/list', { _meta: META });
  assert.ok(namesIn({ result: result ?? {} }).includes('mcp__good__echo'));
  assert.ok(!session.messages.some(({ method }) => method === 'notifications/subscriptions/acknowledged'));
});

test('the memory is its owner’s alone', () => {
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(remembered().path).mode & 0o777, 0o600);
});

test('if no daemon can start, the requests that wait for it say why', async () => {
  const database = join(pml.home, 'db');
  renameSync(database, `${database}.away`);
  writeFileSync(database, 'no database');
  chmodSync(database, 0o600);
  try {
    const session = new RawSession(pml);
    await session.initialize();
    const { error } = await session.call('good:echo', { text: 'x' });
    assert.match(String(error?.message), /PML cannot use .*db.*PML_HOME must name a folder/);
    const { code, stderr } = await session.ended;
    assert.equal(code, 1);
    assert.match(stderr, /PML cannot use/);
  } finally {
    rmSync(database);
    renameSync(`${database}.away`, database);
  }
});
