import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../json.ts';
import type { RecordedCall } from '../../runs/index.ts';
import { Replay } from './replay.ts';

const asIs = (value: Json) => value;

test('calls are answered from the recording by name and arguments, in any order, each once', async () => {
  const calls: RecordedCall[] = [
    { name: 'fs:read', args: { path: 'a', mode: 'r' }, result: 'A' },
    { name: 'fs:read', args: { path: 'b' }, result: 'B' },
    { name: 'fs:drop', args: {}, error: 'no such file' },
  ];
  const replay = new Replay(calls, asIs);
  assert.equal(await replay.call('fs:read', { path: 'b' }), 'B');
  // The order of members does not matter.
  assert.equal(await replay.call('fs:read', { mode: 'r', path: 'a' }), 'A');
  await assert.rejects(replay.call('fs:drop', undefined), { code: 'tool_failed', message: 'no such file' });
  assert.deepEqual([replay.missing, replay.added], [[], []]);
  await assert.rejects(replay.call('fs:read', { path: 'b' }), /did not make this call/);
  assert.deepEqual(replay.added, [{ name: 'fs:read', args: { path: 'b' } }]);
});

test('recorded calls that the run does not make are missing', async () => {
  const call = { name: 'fs:read', args: {}, result: 1 };
  assert.deepEqual(new Replay([call], asIs).missing, [call]);
});

test('arguments are redacted before they are compared, as they were before they were recorded', async () => {
  const redact = (value: Json) => JSON.parse(JSON.stringify(value).replaceAll('s3cret', '[hidden]'));
  const replay = new Replay([{ name: 'a:b', args: { key: '[hidden]' }, result: 1 }], redact);
  assert.equal(await replay.call('a:b', { key: 's3cret' }), 1);
});

test('arguments larger than a recording match nothing, and are not kept', async () => {
  const replay = new Replay([], asIs);
  await assert.rejects(replay.call('a:b', { text: 'x'.repeat(300_000) }));
  assert.deepEqual(replay.added, [{ name: 'a:b', args: '(more than a recording holds)' }]);
});
