import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartQueue } from './start-queue.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Lets runs begin, and writes down whose they were. */
function record() {
  const queue = new StartQueue();
  const begun: string[] = [];
  const begin = async (principal: string, session = 's') => {
    await queue.wait({ principal, session });
    begun.push(`${principal} ${session}`);
  };
  return { queue, begin, begun };
}

test('a run begins at once where few do', async () => {
  const { queue } = record();
  for (let i = 0; i < 20; i++) {
    assert.equal(queue.wait({ principal: 'ann', session: 's' }), undefined);
    await nextTurn();
  }
});

test('of a flood a few begin in each turn of the event loop', async () => {
  const { begin, begun } = record();
  const flood = Array.from({ length: 100 }, () => begin('hog'));
  for (let turn = 1; turn <= 10; turn++) {
    await nextTurn();
    assert.ok(begun.length <= 2 * (turn + 1), `${begun.length} begun after ${turn} turns`);
  }
  await Promise.all(flood);
  assert.equal(begun.length, 100);
});

test('principals have their turns, and so have the sessions of one', async () => {
  const { begin, begun } = record();
  const flood = Array.from({ length: 100 }, () => begin('hog', 'one'));
  const others = [begin('hog', 'two'), begin('ann'), begin('ben')];
  await Promise.all(others);
  // Two begin before the others come, and each of these has one of the hog before it.
  assert.ok(begun.length <= 12, begun.join());
  await Promise.all(flood);
});
