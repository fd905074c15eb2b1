import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { attempt } from '../testing/wait.ts';
import { DEFAULT_LIMITS, openSandbox, type RunOwner, type Sandbox } from './index.ts';
import type { CallOut } from './outcome.ts';
import type { SchedulerSize } from './scheduler.ts';

const HOG: RunOwner = { principal: 'hog', session: 'one' };
const HELD = 'return await mcp.held.call()';
/** Longer than a test takes on the busiest machine. */
const HELD_LIMITS = { ...DEFAULT_LIMITS, wallMs: 600_000 };

function open(t: TestContext, size: Partial<SchedulerSize> = {}): Sandbox {
  const sandbox = openSandbox({ warm: 1, processes: 2, ...size });
  t.after(() => sandbox.close());
  return sandbox;
}

/** Calls that report when they were made, and wait until the test is over. */
function gate(t: TestContext) {
  const over = Promise.withResolvers<void>();
  t.after(() => over.resolve());
  let made = 0;
  const allMade = Promise.withResolvers<void>();
  const heldBy =
    (count: number): CallOut =>
    () => {
      made += 1;
      if (made === count) allMade.resolve();
      return over.promise;
    };
  return { heldBy, entered: allMade.promise };
}

/** Fills every place with runs that do not end, and lets more of them wait. */
async function hold(t: TestContext, sandbox: Sandbox, places: number): Promise<void> {
  const { heldBy, entered } = gate(t);
  const callOut = heldBy(places);
  for (let i = 0; i < 3 * places; i++) void sandbox.run(HELD, {}, callOut, HELD_LIMITS, { owner: HOG });
  await entered;
}

function stop(pid: number | undefined): void {
  process.kill(pid as number, 'SIGSTOP');
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('while one session holds every place', () => {
  test('another principal, and another session of the same one, can run code', async (t) => {
    const sandbox = open(t);
    await hold(t, sandbox, 2);
    for (const owner of [
      { principal: 'ann', session: 'a' },
      { principal: 'hog', session: 'two' },
    ]) {
      for (let i = 0; i < 3; i++) {
        const outcome = await sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS, { owner });
        assert.equal(outcome.ok && outcome.value, 1, JSON.stringify(outcome));
      }
    }
    assert.equal(sandbox.stats().queued, 4);
  });

  test('another principal can also run nested code', async (t) => {
    const sandbox = open(t, { processes: 1 });
    const { heldBy, entered } = gate(t);
    const nested = { owner: HOG, depth: 1 };
    for (let i = 0; i < 3; i++) void sandbox.run(HELD, {}, heldBy(1), HELD_LIMITS, nested);
    await entered;
    const owner = { principal: 'ann', session: 'a' };
    const callOut: CallOut = async () => {
      const inner = await sandbox.run('return 2', {}, async () => 1, DEFAULT_LIMITS, { owner, depth: 1 });
      return inner.ok && inner.value;
    };
    const outcome = await sandbox.run(HELD, {}, callOut, DEFAULT_LIMITS, { owner });
    assert.equal(outcome.ok && outcome.value, 2);
  });

  test('its own runs wait, and say so when they give up', async (t) => {
    const sandbox = open(t);
    await hold(t, sandbox, 2);
    const limits = { ...DEFAULT_LIMITS, wallMs: 50 };
    const outcome = await sandbox.run('return 1', {}, async () => 1, limits, { owner: HOG });
    assert.ok(!outcome.ok);
    assert.deepEqual([outcome.kind, outcome.message], ['timeout', 'No sandbox was free for 50 ms.']);
  });

  test('a run that is cancelled leaves the queue, and no other', async (t) => {
    const sandbox = open(t);
    await hold(t, sandbox, 2);
    const cancel = new AbortController();
    const options = { owner: HOG, signal: cancel.signal };
    const run = sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS, options);
    assert.equal(sandbox.stats().queued, 5);
    cancel.abort();
    const outcome = await run;
    assert.equal(!outcome.ok && outcome.kind, 'cancelled');
    assert.equal(sandbox.stats().queued, 4);
  });

  test('the number of its waiting runs is limited', async (t) => {
    const sandbox = open(t);
    await hold(t, sandbox, 2);
    const runs = Array.from({ length: 1_000 }, () =>
      sandbox.run('return 1', {}, async () => 1, HELD_LIMITS, { owner: HOG }),
    );
    const refused = await Promise.race(runs);
    assert.ok(!refused.ok);
    assert.equal(refused.kind, 'limit');
    assert.match(refused.message, /Too many of your runs wait for a free sandbox: wait until some/);
    assert.equal(sandbox.stats().queued, 1_000);
  });
});

describe('a process that is stopped by a signal', () => {
  test('while idle loses the run that it is given to another process', async (t) => {
    const sandbox = open(t);
    await until(() => sandbox.stats().processes[0]?.state === 'ready');
    const stopped = sandbox.stats().processes[0]?.pid;
    stop(stopped);
    let calls = 0;
    const callOut = async () => ++calls;
    const outcome = await sandbox.run('return await mcp.a.b()', {}, callOut, DEFAULT_LIMITS);
    assert.deepEqual([outcome.ok && outcome.value, calls, outcome.calls], [1, 1, 1]);
    // On a busy machine the next process may be silent for as long, and be killed, too.
    assert.ok(sandbox.stats().killed >= 1);
    assert.ok(sandbox.stats().processes.every(({ pid }) => pid !== stopped));
  });

  test('in the middle of a run keeps it until the deadline: the run may have had effects', async (t) => {
    const sandbox = open(t);
    let calls = 0;
    const callOut = async () => {
      calls += 1;
      stop(sandbox.stats().processes.find(({ state }) => state === 'busy')?.pid);
    };
    // A process is ready then: its start does not count.
    await sandbox.run('return 1', {}, callOut, DEFAULT_LIMITS);
    // On a busy machine a short run may end before it has made its call.
    for (let wallMs = 4_000; calls < 1 && wallMs <= 32_000; wallMs *= 2) {
      const limits = { ...DEFAULT_LIMITS, wallMs };
      const outcome = await sandbox.run('return await mcp.a.b()', {}, callOut, limits);
      assert.ok(!outcome.ok);
      assert.equal(outcome.kind, 'timeout');
    }
    assert.equal(calls, 1);
  });

  test('is not confused with a run that computes for long', async (t) => {
    const sandbox = open(t);
    const code = 'const end = Date.now() + 3000; while (Date.now() < end); return await mcp.a.b()';
    // On a busy machine a process may really be silent for 2 s.
    const killed = await attempt(
      async () => {
        const before = sandbox.stats().killed;
        let calls = 0;
        const outcome = await sandbox.run(code, {}, async () => ++calls, DEFAULT_LIMITS);
        assert.deepEqual([outcome.ok, calls], [true, 1]);
        return sandbox.stats().killed - before;
      },
      (count) => count === 0,
    );
    assert.equal(killed, 0);
  });
});

test('runs that are refused because no process starts do not stay in the queue', async (t) => {
  const sandbox = open(t, { memoryMb: 1 });
  const run = () => sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS);
  await assert.rejects(run(), /cannot start/);
  assert.equal(sandbox.stats().queued, 0);
  const next = await run();
  assert.equal(next.ok && next.value, 1);
});

test('with a delay no process starts before a run needs one', async (t) => {
  const sandbox = open(t, { warmAfterMs: 600_000 });
  sandbox.resize(4);
  assert.equal(sandbox.stats().started, 0);
  const outcome = await sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS);
  assert.equal(outcome.ok && outcome.value, 1);
  assert.ok(sandbox.stats().started > 0);
});
