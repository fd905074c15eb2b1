import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recorder } from './recorder.ts';

test('calls are recorded in the order in which they were made, with results and errors', async () => {
  const recorder = new Recorder();
  const slow = Promise.withResolvers<string>();
  const first = recorder.call('fs:read', { path: 'a' }, () => slow.promise);
  assert.equal(await recorder.call('fs:list', undefined, async () => undefined), undefined);
  const failed = recorder.call('fs:write', {}, () => Promise.reject(new Error('disk full')));
  await assert.rejects(failed, /disk full/);
  slow.resolve('text');
  assert.equal(await first, 'text');
  assert.deepEqual(recorder.recording({ n: 1 }, undefined), {
    args: { n: 1 },
    calls: [
      { name: 'fs:read', args: { path: 'a' }, result: 'text' },
      { name: 'fs:list', args: {}, result: null },
      { name: 'fs:write', args: {}, error: 'disk full' },
    ],
    result: null,
  });
});

test('a run with too many or too large calls works, but is not recorded', async () => {
  const many = new Recorder();
  for (let i = 0; i <= 200; i++) assert.equal(await many.call('a:b', {}, async () => i), i);
  assert.equal(many.recording({}, 1), undefined);
  const large = new Recorder();
  const text = 'x'.repeat(300_000);
  assert.equal(await large.call('a:b', {}, async () => text), text);
  assert.equal(large.recording({}, 1), undefined);
});

test('a value nested too deep to be compared is not recorded', async () => {
  let deep: unknown = 0;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const recorder = new Recorder();
  assert.equal(await recorder.call('a:b', {}, async () => deep), deep);
  assert.equal(recorder.recording({}, 1), undefined);
});
