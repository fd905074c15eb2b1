import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { EventLoopWatchdog, LONGEST_TURN_MS, type LongTurn, noteWork } from './event-loop-watchdog.ts';

function useProcessor(ms: number): void {
  const start = process.threadCpuUsage();
  for (let used = 0; used < ms * 1000; ) {
    const { user, system } = process.threadCpuUsage(start);
    used = user + system;
  }
}

/** Collects the turns that the watchdog reports while `act` runs, and at the next check. */
async function longTurnsOf(act: () => void | Promise<void>): Promise<LongTurn[]> {
  const turns: LongTurn[] = [];
  const watchdog = new EventLoopWatchdog((turn) => turns.push(turn));
  await act();
  await sleep(120);
  watchdog.stop();
  assert.equal(watchdog.count, turns.length);
  return turns;
}

test('a turn that takes too much processor time is reported with the work begun in it', async () => {
  const turns = await longTurnsOf(() => {
    noteWork('tools/call', 'pml_execute');
    useProcessor(2 * LONGEST_TURN_MS);
  });

  assert.equal(turns.length, 1);
  assert.deepEqual(turns[0]?.work, ['tools/call pml_execute']);
  assert.ok((turns[0]?.cpuMs ?? 0) >= LONGEST_TURN_MS);
});

test('many short turns are not reported', async () => {
  const turns = await longTurnsOf(async () => {
    for (let turn = 0; turn < 30; turn += 1) {
      useProcessor(20);
      await sleep(0);
    }
  });

  assert.deepEqual(turns, []);
});

test('waiting, and work in another thread, are not reported', async () => {
  const beside = new Worker('for (;;);', { eval: true });
  await once(beside, 'online');
  const turns = await longTurnsOf(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LONGEST_TURN_MS);
  });
  await beside.terminate();

  assert.deepEqual(turns, []);
});

test('only the newest notes are kept, and only for one check', async () => {
  for (let index = 0; index < 1000; index += 1) noteWork('list', String(index));
  const turns = await longTurnsOf(async () => {
    await sleep(120);
    noteWork('parse', 'x'.repeat(10_000));
    useProcessor(2 * LONGEST_TURN_MS);
  });

  assert.deepEqual(turns[0]?.work, [`parse ${'x'.repeat(100)}`]);
});
