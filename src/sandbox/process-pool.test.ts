import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { attempt, eventually } from '../testing/wait.ts';
import { DEFAULT_LIMITS, openSandbox, type Sandbox } from './index.ts';
import type { CallOut } from './outcome.ts';
import type { SchedulerSize } from './scheduler.ts';

function open(t: TestContext, size: Partial<SchedulerSize> = {}): Sandbox {
  const sandbox = openSandbox({ warm: 1, ...size });
  t.after(() => sandbox.close());
  return sandbox;
}

/** A call that reports when it was made, and waits to be let through. */
function gate() {
  const entered = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const callOut: CallOut = async () => {
    entered.resolve();
    await opened.promise;
    return 'through';
  };
  return { callOut, entered: entered.promise, open: opened.resolve };
}

/**
 * Asserts what a new sandbox has started and killed after such runs. PML replaces a process that is silent for 2 s, or still
 * in the guest's turn 500 ms after its outcome, and a busy machine may let a process wait so long: that spoils an attempt.
 */
async function assertCounts(
  t: TestContext,
  size: Partial<SchedulerSize>,
  expected: readonly [started: number, killed: number],
  act: (sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const counts = await attempt(
    async () => {
      const sandbox = open(t, size);
      await act(sandbox);
      const { started, killed } = sandbox.stats();
      await sandbox.close();
      return [started, killed];
    },
    (found) => isDeepStrictEqual(found, expected),
  );
  assert.deepEqual(counts, expected);
}

function busyPid(sandbox: Sandbox): number {
  return sandbox.stats().processes.find(({ state }) => state === 'busy')?.pid as number;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Polls, since nothing reports the end of a process that is not our child. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a process', () => {
  test('that is killed in the middle of a run ends that run with a clear error, and no other', async (t) => {
    const sandbox = open(t);
    const [a, b] = [gate(), gate()];
    const lost = sandbox.run('return await mcp.a.b()', {}, a.callOut, DEFAULT_LIMITS);
    await a.entered;
    const pid = busyPid(sandbox);
    const kept = sandbox.run('return await mcp.a.b()', {}, b.callOut, DEFAULT_LIMITS);
    await b.entered;
    process.kill(pid, 'SIGKILL');
    const outcome = await lost;
    assert.ok(!outcome.ok);
    assert.equal(outcome.kind, 'cancelled');
    assert.match(outcome.message, /sandbox process of this run ended unexpectedly \(SIGKILL\)/);
    b.open();
    assert.equal((await kept).ok, true);
    assert.equal((await sandbox.run('return 1', {}, b.callOut, DEFAULT_LIMITS)).ok, true);
  });

  test('that writes a large result to a busy host is not taken for one that computes on', async (t) => {
    // Nor for one that does not respond, which would be killed, and its code would run again.
    await assertCounts(t, {}, [1, 0], async (sandbox) => {
      const run = (code: string) => sandbox.run(code, {}, async () => 1, DEFAULT_LIMITS);
      await run('return 1');
      await eventually(
        () => sandbox.stats().processes.some(({ state }) => state === 'ready'),
        'a ready process',
      );
      const large = run('return "x".repeat(5_000_000)');
      // The host reads nothing for six times as long as a guest may compute after its outcome.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
      const outcome = await large;
      assert.equal(outcome.ok, true, JSON.stringify(outcome).slice(0, 300));
    });
  });

  test('serves one run after another, and is replaced after its number of runs', async (t) => {
    await assertCounts(t, { processes: 1, runsPerProcess: 3 }, [3, 0], async (sandbox) => {
      for (let i = 0; i < 7; i++) {
        assert.equal((await sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS)).ok, true);
      }
    });
  });

  test('that misbehaved is killed and replaced', async (t) => {
    await assertCounts(t, { processes: 1 }, [2, 1], async (sandbox) => {
      const run = (code: string, turnCpuMs?: number) =>
        sandbox.run(code, {}, async () => 1, { ...DEFAULT_LIMITS, ...(turnCpuMs && { turnCpuMs }) });
      assert.equal((await run('for (;;);', 50)).ok, false);
      assert.equal((await run('throw 1')).ok, false);
      assert.equal((await run('return 1')).ok, true);
    });
  });

  test('that computes on after its answer does not get another run', async (t) => {
    // While the host reads nothing, the child cannot finish sending the second call, and so does not stop the guest
    // before it computes. V8 cannot interrupt indexOf.
    const code = `mcp.host.pause();
    mcp.host.fill({ pipe: 'x'.repeat(4_000_000) });
    Promise.resolve().then(() => {}).then(() => {}).then(() => {}).then(() => {
      const list = [];
      list.length = 4294967295;
      for (;;) list.indexOf(1);
    });
    return 1`;
    const pauseHost: CallOut = async ([, tool]) => {
      if (tool === 'pause') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    };
    // The process ends by itself, so the pool kills none.
    await assertCounts(t, { processes: 1 }, [2, 0], async (sandbox) => {
      assert.equal((await sandbox.run(code, {}, pauseHost, DEFAULT_LIMITS)).ok, true);
      assert.equal((await sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS)).ok, true);
    });
  });

  test('is given to as many runs as `resize` allows', async (t) => {
    const sandbox = open(t, { processes: 1 });
    const [first, second] = [gate(), gate()];
    const runs = [first, second].map(({ callOut }) =>
      sandbox.run('return await mcp.a.b()', {}, callOut, DEFAULT_LIMITS),
    );
    await first.entered;
    assert.equal(sandbox.stats().queued, 1);
    sandbox.resize(2);
    await second.entered;
    sandbox.resize(1);
    const third = sandbox.run('return 3', {}, first.callOut, DEFAULT_LIMITS);
    second.open();
    await runs[1];
    // The first still has the only place.
    assert.equal(sandbox.stats().queued, 1);
    first.open();
    assert.equal((await third).ok, true);
  });

  test('that cannot start refuses the runs that wait for it', async (t) => {
    const sandbox = open(t, { memoryMb: 1 });
    const run = sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS);
    await assert.rejects(run, {
      name: 'PmlError',
      code: 'internal',
      message: /The sandbox cannot start: .*memory/s,
    });
  });

  test('beyond the warm ones ends when it is idle', async (t) => {
    const sandbox = open(t, { idleMs: 50 });
    const gates = [gate(), gate(), gate()];
    const runs = gates.map(({ callOut }) => sandbox.run('await mcp.a.b()', {}, callOut, DEFAULT_LIMITS));
    await Promise.all(gates.map(({ entered }) => entered));
    const pids = sandbox.stats().processes.map(({ pid }) => pid as number);
    for (const { open } of gates) open();
    await Promise.all(runs);
    assert.equal(pids.length, 3);
    // One stays: the first of the others to be gone is enough to know that the rule works.
    await Promise.race(pids.map(gone));
  });
});

describe('one process is kept warm until runs overlap, then as many as the size says:', () => {
  const ready = (sandbox: Sandbox) => eventually(() => isReady(sandbox), 'a ready process');
  const isReady = (sandbox: Sandbox) => sandbox.stats().processes.some(({ state }) => state === 'ready');

  test('a run that must wait for another', async (t) => {
    await assertCounts(t, { warm: 2, longRunMs: 60_000 }, [1, 0], async (sandbox) => {
      await ready(sandbox);
      for (let run = 0; run < 3; run++) {
        await sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS);
        await ready(sandbox);
      }
    });
    const sandbox = open(t, { warm: 2, longRunMs: 60_000 });
    await ready(sandbox);
    await Promise.all([1, 2].map(() => sandbox.run('return 1', {}, async () => 1, DEFAULT_LIMITS)));
    await eventually(() => sandbox.stats().processes.length === 2, 'a second process');
  });

  test('a run that lasts', async (t) => {
    const sandbox = open(t, { warm: 2 });
    await ready(sandbox);
    const { callOut, entered, open: release } = gate();
    const run = sandbox.run('await mcp.a.b()', {}, callOut, DEFAULT_LIMITS);
    await entered;
    await eventually(() => isReady(sandbox), 'a second process');
    release();
    await run;
  });

  test('a run that takes its process with it', async (t) => {
    const sandbox = open(t, { warm: 2, longRunMs: 60_000 });
    await ready(sandbox);
    const endless = 'for (;;) await new Promise((resolve) => setTimeout(resolve, 1));';
    const outcome = await sandbox.run(endless, {}, async () => 1, { ...DEFAULT_LIMITS, wallMs: 100 });
    assert.equal(!outcome.ok && outcome.kind, 'timeout');
    await eventually(() => sandbox.stats().processes.length === 2, 'two new processes');
    assert.deepEqual([sandbox.stats().started, sandbox.stats().killed], [3, 1]);
  });
});

describe('runs', () => {
  test('wait for a free process, and fail with that reason if none comes free', async (t) => {
    const sandbox = open(t, { processes: 1 });
    const first = gate();
    const running = sandbox.run('return await mcp.a.b()', {}, first.callOut, DEFAULT_LIMITS);
    await first.entered;
    const waiting = sandbox.run('return 2', {}, first.callOut, DEFAULT_LIMITS);
    const impatient = await sandbox.run('return 3', {}, first.callOut, { ...DEFAULT_LIMITS, wallMs: 30 });
    assert.ok(!impatient.ok);
    assert.deepEqual([impatient.kind, impatient.message], ['timeout', 'No sandbox was free for 30 ms.']);
    assert.equal(sandbox.stats().queued, 1);
    first.open();
    assert.deepEqual([(await running).ok, (await waiting).ok], [true, true]);
  });

  test('that wait for nested runs do not block them', async (t) => {
    const sandbox = open(t, { processes: 1 });
    const nested =
      (depth: number): CallOut =>
      async () => {
        if (depth > 4) return 'deep';
        const outcome = await sandbox.run('return await mcp.next()', {}, nested(depth + 1), DEFAULT_LIMITS, {
          depth,
        });
        return outcome.ok ? outcome.value : outcome.message;
      };
    const outcome = await sandbox.run('return await mcp.next()', {}, nested(1), DEFAULT_LIMITS);
    assert.equal(outcome.ok && outcome.value, 'deep');
  });

  test('with another memory limit get an isolate of their own', async (t) => {
    const sandbox = open(t, { processes: 1 });
    const fill =
      'const held = []; for (let i = 0; i < 40; i++) held.push(new Uint8Array(1_000_000)); return held.length';
    const run = (memoryMb: number) => sandbox.run(fill, {}, async () => 1, { ...DEFAULT_LIMITS, memoryMb });
    assert.deepEqual([(await run(16)).ok, (await run(128)).ok, (await run(16)).ok], [false, true, false]);
  });

  test('end when the sandbox closes, and none starts afterwards', async (t) => {
    const sandbox = open(t);
    const { callOut, entered } = gate();
    const run = sandbox.run('await mcp.a.b()', {}, callOut, DEFAULT_LIMITS);
    await entered;
    const pid = busyPid(sandbox);
    await sandbox.close();
    const late = await sandbox.run('return 1', {}, callOut, DEFAULT_LIMITS);
    for (const outcome of [await run, late]) assert.equal(!outcome.ok && outcome.kind, 'cancelled');
    assert.ok(!isAlive(pid));
    assert.deepEqual(sandbox.stats().processes, []);
  });
});

test('no process outlives a host that is killed, even if V8 cannot interrupt its guest', async () => {
  const script = `
    import { DEFAULT_LIMITS, openSandbox } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const sandbox = openSandbox({ warm: 2 });
    const pids = () => sandbox.stats().processes.map(({ pid }) => pid);
    const callOut = async () => {
      while (pids().length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
      console.log(JSON.stringify(pids()));
    };
    sandbox.run('await mcp.a.b(); const list = []; list.length = 4294967295; for (;;) list.indexOf(1);', {}, callOut, { ...DEFAULT_LIMITS, turnCpuMs: 60_000, wallMs: 60_000 });`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(host.stdout, 'data');
  const pids: number[] = JSON.parse(String(line));
  assert.equal(pids.length, 2);
  host.kill('SIGKILL');
  await Promise.all(pids.map(gone));
});

test('an idle sandbox does not keep its host alive', async () => {
  const script = `
    import { DEFAULT_LIMITS, openSandbox } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const outcome = await openSandbox().run('return 1', {}, async () => 1, DEFAULT_LIMITS);
    console.log(outcome.value);`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[line], [code]] = await Promise.all([once(host.stdout, 'data'), once(host, 'exit')]);
  assert.deepEqual([String(line).trim(), code], ['1', 0]);
});
