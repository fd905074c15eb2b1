import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PausableDeadline } from './pausable-deadline.ts';

test('a deadline expires, unless it is restarted or paused', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const pass = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  let ended = 0;
  const deadline = new PausableDeadline(100);
  deadline.onExpiry(() => {
    ended += 1;
  });
  pass(60);
  deadline.restart();
  pass(90);
  assert.equal(ended, 0);
  const waits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pauses = waits.map(({ promise }) => deadline.pauseDuring(() => promise));
  pass(10_000);
  assert.equal(ended, 0);
  assert.equal(deadline.remainingMs, 10);
  waits[0]?.resolve();
  return pauses[0]
    ?.then(() => {
      pass(10_000);
      // The other pause has not ended.
      assert.deepEqual([ended, deadline.remainingMs], [0, 10]);
      waits[1]?.resolve();
      return pauses[1];
    })
    .then(() => {
      pass(9);
      assert.equal(ended, 0);
      pass(20);
      assert.equal(ended, 1);
    });
});

test('a cancelled watch on a deadline hears nothing', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stop = new PausableDeadline(5).onExpiry(() => assert.fail());
  stop();
  t.mock.timers.tick(100);
});
