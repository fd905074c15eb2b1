import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { eventually, within } from '../../src/testing/wait.ts';
import { HostileHttp } from '../fixtures/hostile-http.ts';
import { OldSse } from '../fixtures/legacy-sse.ts';
import { serverOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf, type Wire } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';
import { assertUnharmed, PROMPTLY_MS } from './bystander.ts';

const AT_START = {
  refuses: 'well',
  breaks: 'status 500',
  hangs: 'hang',
  resets: 'reset',
  page: 'html',
} as const;

const pml = new Pml({ after });
const servers = new Map<string, HostileHttp>();
const old = new OldSse();
let session: RawSession;
let other: Client;

before(async () => {
  await onUsualEngine(pml);
  for (const name of ['web', 'hasty', ...Object.keys(AT_START)]) servers.set(name, await HostileHttp.open());
  for (const [name, mode] of Object.entries(AT_START)) server(name).mode = mode;
  await server('refuses').stop();
  const entries = [...servers].map(([name, { url }]) => [name, { type: 'http', url }]);
  await old.start();
  pml.configure({
    mcpServers: {
      good: fixtureServer('hostile-stdio.ts'),
      old: { type: 'http', url: `http://127.0.0.1:${old.port}/sse`, pml: { timeoutMs: 10_000 } },
      ...Object.fromEntries(entries),
      hasty: { type: 'http', url: server('hasty').url, pml: { timeoutMs: 6000 } },
    },
  });
  session = await new RawSession(pml).initialize();
  other = await pml.stdio();
  await session.request('tools/list');
});
after(() => Promise.all([old, ...servers.values()].map((each) => each.stop().catch(() => {}))));

function server(name: string): HostileHttp {
  return servers.get(name) as HostileHttp;
}

function failed(answer: Wire): boolean {
  return answer.error !== undefined || answer.result?.isError === true;
}

const PROBLEMS: [string, RegExp][] = [
  ['refuses', /could not be reached: connect ECONNREFUSED 127\.0\.0\.1/],
  ['breaks', /answered with HTTP 500/],
  ['resets', /could not be reached: .*(ECONNRESET|closed)/],
  ['page', /Unexpected content type: text\/html/],
];
for (const [name, words] of PROBLEMS) {
  test(`a server that ${name} at the start is reported in words, and others are served`, async () => {
    const { state, problem } = await eventually(async () => {
      const found = await serverOf(pml, name);
      return found.problem ? found : undefined;
    }, 'the problem').then((found) => found ?? assert.fail());
    assert.notEqual(state, 'ready');
    assert.match(problem ?? '', words);
    await assertUnharmed(other);
  });
}

test('a server that hangs at the start delays nobody', async () => {
  assert.notEqual((await serverOf(pml, 'hangs')).state, 'ready');
  await assertUnharmed(other);
});

test('servers that come up later are found by themselves', async () => {
  await server('refuses').restart();
  server('breaks').mode = 'well';
  for (const name of ['refuses', 'breaks']) {
    await eventually(async () => (await serverOf(pml, name)).state === 'ready', `${name} is ready`, 180_000);
    assert.equal(textOf(await session.call(`${name}:echo`, { text: 'here' })), 'here');
  }
});

const CALLS: [string, RegExp][] = [
  ['status_500', /Server "web" failed at "status_500": it answered with HTTP 500 \(out of order\)/],
  ['html', /Server "web" failed at "html": .*Unexpected content type: text\/html/],
  ['hang', /Server "hasty" did not answer "hang" in time/],
  ['reset', /Server "web" failed at "reset": it could not be reached: .*(ECONNRESET|closed)/],
  ['not_json', /Server "web" failed at "not_json": it gave an answer that is not JSON/],
  ['bad_result', /Server "web" failed at "bad_result": it gave an answer that is no MCP message/],
  ['stream_ends', /Server "hasty" did not answer "stream_ends" in time/],
  ['stream_breaks', /Server "hasty" did not answer "stream_breaks" in time/],
  ['stream_nonsense', /Server "hasty" did not answer "stream_nonsense" in time/],
];
for (const [tool, words] of CALLS) {
  test(`a call that meets ${tool} fails with the name of the server, and the next one works`, async () => {
    const name = /Server "(\w+)"/.exec(words.source)?.[1];
    const failing = within(session.call(`${name}:${tool}`), PROMPTLY_MS, 'the failure');
    await assertUnharmed(other);
    const answer = await failing;
    assert.ok(failed(answer), JSON.stringify(answer));
    assert.match(textOf(answer), words);
    assert.equal(textOf(await session.call(`${name}:echo`, { text: 'next' })), 'next');
  });
}

test('a server that is gone is named in the failure, and found again when it is back', async () => {
  await server('web').stop();
  const answer = await session.call('web:echo', { text: 'anyone?' });
  assert.ok(failed(answer));
  assert.match(
    textOf(answer),
    /Server "web" failed at "echo": it could not be reached: connect ECONNREFUSED/,
  );
  assert.notEqual((await serverOf(pml, 'web')).state, 'ready');
  await server('web').restart();
  assert.equal(textOf(await session.call('web:echo', { text: 'back' })), 'back');
});

test('a server that forgot the session is shaken hands with again, and the call is not lost', async () => {
  for (const status of [404, 400]) {
    server('web').forget(status);
    assert.equal(textOf(await session.call('web:echo', { text: `after ${status}` })), `after ${status}`);
  }
});

test('an old server with a stream for its answers is found again after its restart', async () => {
  assert.equal(textOf(await session.call('old:echo', { text: 'here' })), 'here');
  await old.stop();
  assert.ok(failed(await session.call('old:echo', { text: 'anyone?' })));
  await old.start();
  const back = await eventually(async () => {
    const answer = await session.call('old:echo', { text: 'back' });
    return failed(answer) ? undefined : answer;
  }, 'an answer');
  assert.equal(textOf(back as Wire), 'back');
});

test('a stop does not wait for a server that hangs', async () => {
  const started = performance.now();
  assert.equal((await within(pml.run(['down']), 60_000, 'the end of pml down')).code, 0);
  assert.ok(performance.now() - started < PROMPTLY_MS, `${performance.now() - started} ms`);
});
