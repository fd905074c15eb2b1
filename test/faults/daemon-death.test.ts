/** Sessions, calls and rows when the daemon ends: killed, stopped, drained, idle. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { attempt, eventually, waitForExit, waitForNoProcesses, within } from '../../src/testing/wait.ts';
import { statusOf } from '../support/daemon.ts';
import { usageOf } from '../support/journal-rows.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const server = fixtureServer('hostile-stdio.ts');
// The first tests start and end the daemon of one home on PGlite, the others that of one on the engine of an everyday run.
const pml = new Pml({ after }, { mcpServers: { good: server } });
const usual = new Pml({ after }, { mcpServers: { good: server } });
before(() => onUsualEngine(usual));
/** How many calls have succeeded in all tests so far. Each must be in the journal. */
let answered = 0;
let answeredByUsual = 0;
const ENDED = /pml: PML's background process ended, and this session with it\. Reconnect to start it again/;

test('SIGKILL of the daemon: sessions end with a clear message, no answered call is lost, the next start works', async () => {
  const sessions = [1, 2, 3].map(() => new RawSession(pml));
  await Promise.all(sessions.map((session) => session.initialize()));
  const [first] = sessions as [RawSession];
  const { pid } = await statusOf(pml);
  const upstream = Number(textOf(await first.call('good:pid')));
  answered += 1;
  await Promise.all(
    sessions.map(async (session) => {
      for (let i = 0; i < 40; i++) {
        assert.equal(textOf(await session.call('good:echo', { text: `${i}` })), `${i}`);
        answered += 1;
      }
    }),
  );
  // Rows are stored in batches, so the kill comes before the last ones are.
  process.kill(pid, 'SIGKILL');
  for (const session of sessions) {
    const { code, stderr } = await within(session.ended, 60_000, 'the end of pml serve');
    assert.equal(code, 1);
    assert.match(stderr, ENDED);
    assert.match(stderr, new RegExp(join(pml.home, 'log', 'pml.log')), 'says where to look');
  }
  await waitForExit(upstream);
  await waitForNoProcesses(pml.dir);
  assert.ok(existsSync(join(pml.home, 'daemon.sock')), 'the dead owner left its socket');

  const next = await new RawSession(pml).initialize();
  assert.equal(textOf(await next.call('good:echo', { text: 'again' })), 'again');
  answered += 1;
  assert.notEqual((await statusOf(pml)).pid, pid);
  assert.equal((await pml.run(['down'])).code, 0);
  assert.equal(await stored(pml), answered);
});

test('a leftover socket file and half a row of the journal do not matter', async () => {
  writeFileSync(join(pml.home, 'daemon.sock'), 'not even a socket');
  writeFileSync(join(pml.home, 'journal.jsonl'), '{"id": "half a row');
  const up = await pml.up();
  assert.equal((await fetch(`${up.url}/readyz`)).status, 200);
  await up.stop();
});

test('SIGTERM of pml up: the call under way finishes, rows are stored, nothing is left, exit code 0', async () => {
  usual.configure({
    mcpServers: { good: server, stubborn: fixtureServer('hostile-stdio.ts', '--stubborn') },
  });
  const up = await usual.up();
  const web = await usual.http(up.url);
  const session = await new RawSession(usual).initialize();
  await session.call('stubborn:echo', { text: 'up' });
  // A large answer takes a while to be sent.
  const bytes = 8 * 1024 * 1024;
  const [untilHttp, untilStdio] = [join(usual.dir, 'until-http'), join(usual.dir, 'until-stdio')];
  const overHttp = web.callTool({ name: 'good:hold', arguments: { until: untilHttp, bytes } });
  const overStdio = session.call('good:hold', { until: untilStdio });
  for (const until of [untilHttp, untilStdio]) await session.call('good:await_held', { until });
  const finished = up.stop('SIGTERM');
  await usual.logged(/stopping: SIGTERM/);
  for (const until of [untilHttp, untilStdio]) writeFileSync(until, '');
  assert.equal(textOf(await overStdio), 'held');
  const [{ text }] = (await overHttp).content as unknown as [{ text: string }];
  assert.equal(text.length, 'held'.length + bytes);
  assert.equal((await within(finished, 60_000, 'the end of pml up')).code, 0);
  assert.match((await session.ended).stderr, ENDED);
  assert.ok(!existsSync(join(usual.home, 'daemon.sock')), 'the socket is removed');
  await waitForNoProcesses(usual.dir);
  answeredByUsual += 5;
  assert.equal(await stored(usual), answeredByUsual);
  usual.configure({ mcpServers: { good: server } });
});

test('ctrl-C of pml up cancels a call that does not end within the grace period', async () => {
  const up = await usual.up();
  const session = await new RawSession(usual).initialize();
  session.begin('tools/call', { name: 'good:hang' });
  await session.call('good:await_hanging');
  const started = performance.now();
  const { code } = await within(up.stop('SIGINT'), 60_000, 'the end of pml up');
  assert.equal(code, 0);
  const took = performance.now() - started;
  assert.ok(took > 4000, `stopped after ${took} ms`);
  const { code: served, stderr } = await session.ended;
  assert.equal(served, 1);
  assert.match(stderr, ENDED);
  answeredByUsual += 1;
});

test('a second ctrl-C does not wait for the call', async () => {
  // On a busy machine the second signal may come when the first has done its work.
  assert.ok(await attempt(isEndedBySecondSignal, (isShown) => isShown));
});

/** Sends two signals during a call that hangs. Returns whether the second one ended `pml up`. */
async function isEndedBySecondSignal(): Promise<boolean> {
  const up = await usual.up();
  const session = await new RawSession(usual).initialize();
  session.begin('tools/call', { name: 'good:hang' });
  await session.call('good:await_hanging');
  const log = join(usual.home, 'log', 'pml.log');
  const former = readFileSync(log, 'utf8').length;
  void up.stop('SIGINT');
  // Two signals at once would arrive as one.
  await eventually(
    () => readFileSync(log, 'utf8').includes('stopping: SIGINT', former),
    'the first signal has arrived',
  );
  const { code } = await up.stop('SIGINT');
  answeredByUsual += 1;
  assert.match((await session.ended).stderr, ENDED);
  await waitForNoProcesses(usual.dir);
  // The first signal alone would have ended the call, closed everything and logged it.
  return code === 1 && !readFileSync(log, 'utf8').includes(' stopped', former);
}

test('pml up beside a daemon: when that is killed it says so and exits with 1', async () => {
  await new RawSession(usual).initialize();
  const up = await usual.up();
  assert.equal((await fetch(`${up.url}/healthz`)).status, 200);
  const { pid } = await statusOf(usual);
  process.kill(pid, 'SIGKILL');
  const { code, stderr } = await within(up.ended, 60_000, 'the end of pml up');
  assert.equal(code, 1);
  assert.match(stderr, /PML's background process ended/);
});

test('idle: the daemon ends by itself, with its servers', async () => {
  const session = await new RawSession(usual, { env: { PML_IDLE_SECONDS: '1' } }).initialize();
  assert.equal(textOf(await session.call('good:echo', { text: 'here' })), 'here');
  const { pid } = await statusOf(usual);
  session.child.stdin.end();
  assert.equal((await session.ended).code, 0);
  await waitForExit(pid);
  await waitForNoProcesses(usual.dir);
  assert.ok(!existsSync(join(usual.home, 'daemon.sock')));
  answeredByUsual += 1;
});

test('pml down while a call runs: it finishes first; when nothing runs it says so', async () => {
  const session = await new RawSession(usual).initialize();
  const { pid } = await statusOf(usual);
  const until = join(usual.dir, 'until-down');
  const running = session.call('good:hold', { until });
  await session.call('good:await_held', { until });
  const ending = usual.run(['down']);
  await usual.logged(/stopping: pml down/);
  writeFileSync(until, '');
  const down = await ending;
  assert.equal(down.code, 0);
  assert.match(down.stdout, new RegExp(`PML stopped \\(process ${pid}\\)`));
  assert.equal(textOf(await running), 'held');
  answeredByUsual += 2;
  assert.equal(await stored(usual), answeredByUsual, 'the home is free as soon as pml down returns');
  const again = await usual.run(['down']);
  assert.equal(again.code, 0);
  assert.match(again.stdout, /PML is not running/);
});

async function stored({ home, env }: Pml): Promise<number> {
  const rows = await usageOf(home, env.PML_DATABASE_URL);
  return rows.filter(({ success }) => success).length;
}
