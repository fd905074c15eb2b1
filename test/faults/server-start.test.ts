import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, processesOf, waitForNoProcesses, within } from '../../src/testing/wait.ts';
import { serverOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';
import { PROMPTLY_MS } from './bystander.ts';

const FIXTURE = 'hostile-stdio.ts';
const NAMES = 'a.b,a b,a_b,é,x'.split(',');

const pml = new Pml({ after });
const starts = join(pml.dir, 'starts');
const mayList = join(pml.dir, 'may-list');
let session: RawSession;
let firstListMs: number;
let firstCallMs: number;
let listed: string[];
let earlyCall: number;

before(async () => {
  await onUsualEngine(pml);
  writeFileSync(join(pml.dir, 'plain-file'), 'not a program');
  pml.configure({
    mcpServers: {
      good: fixtureServer(FIXTURE),
      missing: { command: 'no-such-program-anywhere' },
      nofolder: { ...fixtureServer(FIXTURE), cwd: '/no/such/folder' },
      plain: { command: join(pml.dir, 'plain-file') },
      silent: fixtureServer(FIXTURE, '--start=hang'),
      listless: fixtureServer(FIXTURE, '--start=no-list'),
      dying: fixtureServer(FIXTURE, '--start=die'),
      half: fixtureServer(FIXTURE, '--start=die-half'),
      mayfly: fixtureServer(FIXTURE, '--start=die-soon', `--starts=${starts}`),
      chatty: fixtureServer(FIXTURE, '--start=garbage'),
      crowd: fixtureServer(FIXTURE, '--tools=5000'),
      clash: fixtureServer(FIXTURE, `--names=${NAMES.join(',')}`),
      endless: fixtureServer(FIXTURE, '--cursor=empty'),
      pages: fixtureServer(FIXTURE, '--cursor=full'),
      late: fixtureServer(FIXTURE, `--list-when=${mayList}`),
    },
  });
  session = await new RawSession(pml).initialize();
  earlyCall = session.begin('tools/call', { name: 'late:echo', arguments: { text: 'at last' } });
  const started = performance.now();
  assert.equal(textOf(await session.call('good:echo', { text: 'at once' })), 'at once');
  firstCallMs = performance.now() - started;
  listed = await toolNames();
  firstListMs = performance.now() - started;
});

async function toolNames(): Promise<string[]> {
  const names: string[] = [];
  let cursor: unknown;
  do {
    const { result } = await session.request('tools/list', cursor === undefined ? {} : { cursor });
    names.push(...((result?.tools ?? []) as { name: string }[]).map(({ name }) => name));
    cursor = result?.nextCursor;
  } while (cursor !== undefined);
  return names;
}

/** Lists the tools once a server is up: the first list does not wait for slow starters. */
async function listedOf(server: string): Promise<string[]> {
  await eventually(async () => (await serverOf(pml, server)).state === 'ready', `${server} is ready`, 60_000);
  return toolNames();
}

test('servers that hang or fail at their start delay neither the list nor a call to another', () => {
  assert.ok(firstListMs < PROMPTLY_MS, `the first list took ${firstListMs} ms`);
  assert.ok(firstCallMs < PROMPTLY_MS, `the first call took ${firstCallMs} ms`);
  assert.ok(listed.includes('mcp__good__echo'));
  assert.ok(!listed.some((name) => name.startsWith('mcp__silent__')));
});

test('a call that names a server waits until it is listed, however late that is', async () => {
  assert.ok(!listed.some((name) => name.startsWith('mcp__late__')));
  assert.match(
    textOf(await session.call('lat:echo')),
    /not found/,
    'nobody waits for a name that no server has',
  );
  writeFileSync(mayList, '');
  assert.equal(textOf(await session.answerTo(earlyCall)), 'at last');
});

test('a command that does not exist is named', async () => {
  const { state, problem } = await failedServer('missing');
  assert.notEqual(state, 'ready');
  assert.match(problem ?? '', /could not be started: command not found: no-such-program-anywhere/);
  await pml.logged(/\[missing\] could not be started: command not found: no-such-program-anywhere/);
});

test('a folder that does not exist is named', async () => {
  assert.match((await failedServer('nofolder')).problem ?? '', /folder \/no\/such\/folder does not exist/);
});

test('a file that is no program is named', async () => {
  assert.match((await failedServer('plain')).problem ?? '', /plain-file may not be executed/);
});

/** Waits until a server has a problem. */
async function failedServer(name: string): Promise<{ state: string; problem?: string }> {
  const found = await eventually(async () => {
    const server = await serverOf(pml, name);
    return server.problem ? server : undefined;
  }, `the problem of ${name}`);
  return found ?? assert.fail();
}

test('a server that dies at its start is reported with its exit code and its last words', async () => {
  assert.match((await failedServer('dying')).problem ?? '', /exited with code 3/);
  await pml.logged(/\[dying\] no licence found/);
});

test('a server that dies over one of its lists counts as down, not as ready', async () => {
  const { state, problem } = await failedServer('half');
  assert.notEqual(state, 'ready');
  assert.match(problem ?? '', /exited with code 8/);
  assert.match(
    textOf(await session.call('half:echo')),
    /"half" is not available: it exited with code 8|Unknown tool/,
  );
});

test('what a server prints beside the protocol is logged, and its tools work', async () => {
  assert.equal(textOf(await session.call('chatty:echo', { text: 'fine' })), 'fine');
  await pml.logged(/\[chatty\] \(not protocol\) Welcome to the server!/);
  assert.equal(textOf(await session.call('chatty:garbage')), 'after garbage');
  assert.equal(textOf(await session.call('chatty:echo', { text: 'again' })), 'again');
});

test('a server that dies again and again is started less and less often', async () => {
  const times = () => (existsSync(starts) ? readFileSync(starts, 'utf8').trim().split('\n').map(Number) : []);
  await eventually(() => times().length >= 4, 'a fourth start');
  const [first = 0, , third = 0, fourth = 0] = times();
  // Half a second, one, two: each up to a quarter less, so that servers do not return in step.
  assert.ok(fourth - third >= 1500, `started after ${times().map((time) => time - first)} ms`);
  await eventually(
    async () => (await serverOf(pml, 'mayfly')).problem?.includes('exited with code 9'),
    'the problem is told between two starts',
  );
});

test('5,000 tools are all listed, page by page, and callable', async () => {
  const crowd = (await listedOf('crowd')).filter((name) => name.startsWith('mcp__crowd__tool_'));
  assert.equal(new Set(crowd).size, 5000);
  assert.equal(textOf(await session.call('mcp__crowd__tool_4999')), 'called tool_4999');
  assert.equal(textOf(await session.call('good:echo', { text: 'meanwhile' })), 'meanwhile');
});

test('tools whose names sanitise to one stay apart, and each is called under its listed name', async () => {
  const mine = (await listedOf('clash')).filter((name) => /^mcp__clash__(a_b|_|x)/.test(name));
  assert.equal(mine.length, NAMES.length);
  assert.equal(new Set(mine).size, NAMES.length);
  assert.ok(mine.every((name) => /^[A-Za-z0-9_-]{1,54}$/.test(name)));
  const answers = await Promise.all(mine.map(async (name) => textOf(await session.call(name))));
  assert.deepEqual(answers.toSorted(), NAMES.map((name) => `called ${name}`).toSorted());
  assert.equal(textOf(await session.call('mcp__clash__a_b')), 'called a_b');
  assert.equal(textOf(await session.call('clash:a.b')), 'called a.b');
  assert.match(
    textOf(await session.call('clash:A-B')),
    /could mean "mcp__clash__a_b.*" and .*Use one of these/,
  );
});

test('a list whose pages never end is cut, said so, and its server is usable', async () => {
  for (const name of ['endless', 'pages']) {
    await eventually(async () => (await serverOf(pml, name)).state === 'ready', `${name} is ready`);
    assert.equal(textOf(await session.call(`${name}:echo`, { text: 'usable' })), 'usable');
    await pml.logged(new RegExp(`\\[${name}\\] .*(pages|never ends)`));
  }
});

test('a stop waits for no server that hangs at its start, and leaves no process', async () => {
  assert.ok(processesOf(pml.dir).length > 5);
  const started = performance.now();
  const { code } = await within(pml.run(['down']), 60_000, 'the end of pml down');
  assert.equal(code, 0);
  assert.ok(performance.now() - started < PROMPTLY_MS, `pml down took ${performance.now() - started} ms`);
  await waitForNoProcesses(pml.dir);
});
