import assert from 'node:assert/strict';
import { readFile } from 'node:fs';
import { test } from 'node:test';
import { nextEventLoopTurn } from './event-loop-turn.ts';

test('each caller gets a turn of its own, in order, with timers served in between', async () => {
  const happened: string[] = [];
  const tick = setInterval(() => happened.push('timer'), 1);
  const block = async (name: string) => {
    await nextEventLoopTurn();
    happened.push(name);
    const until = performance.now() + 5;
    while (performance.now() < until);
  };
  await Promise.all(['a', 'b', 'c'].map(block));
  clearInterval(tick);
  assert.deepEqual(
    happened.filter((one) => one !== 'timer'),
    ['a', 'b', 'c'],
  );
  for (const [one, next] of [
    ['a', 'b'],
    ['b', 'c'],
  ] as const) {
    assert.ok(
      happened.slice(happened.indexOf(one), happened.indexOf(next)).includes('timer'),
      happened.join(),
    );
  }
});

test('a caller that has just read a file gets a turn after its own', async () => {
  const happened: string[] = [];
  await new Promise<void>((resolve, reject) => {
    readFile(import.meta.filename, () => {
      setTimeout(() => happened.push('timer'), 1);
      const until = performance.now() + 5;
      while (performance.now() < until);
      nextEventLoopTurn()
        .then(() => happened.push('own turn'))
        .then(() => resolve(), reject);
    });
  });
  assert.deepEqual(happened, ['timer', 'own turn']);
});
