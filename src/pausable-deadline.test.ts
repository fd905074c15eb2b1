import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PausableDeadline } from './pausable-deadline.ts';

test('runs out, unless it is begun again or stands still', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const pass = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  let ended = 0;
  const patience = new PausableDeadline(100);
  patience.watch(() => {
    ended += 1;
  });
  pass(60);
  patience.restart();
  pass(90);
  assert.equal(ended, 0);
  const waits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const acts = waits.map(({ promise }) => patience.during(() => promise));
  pass(10_000);
  assert.equal(ended, 0);
  assert.equal(patience.left, 10);
  waits[0]?.resolve();
  return acts[0]
    ?.then(() => {
      pass(10_000);
      // The other act has not ended.
      assert.deepEqual([ended, patience.left], [0, 10]);
      waits[1]?.resolve();
      return acts[1];
    })
    .then(() => {
      pass(9);
      assert.equal(ended, 0);
      pass(20);
      assert.equal(ended, 1);
    });
});

test('is not watched any more once that was said', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stop = new PausableDeadline(5).watch(() => assert.fail());
  stop();
  t.mock.timers.tick(100);
});
