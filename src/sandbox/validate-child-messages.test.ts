import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFailure, checkPath } from './validate-child-messages.ts';

test('a path is one or two names', () => {
  assert.deepEqual(checkPath(['fs', 'read']), ['fs', 'read']);
  for (const path of [undefined, 'fs', [], [1], ['a', {}], ['a', 'b', 'c'], { length: 1, 0: 'a' }]) {
    assert.throws(() => checkPath(path), /broken path/);
  }
});

test('a failure keeps its known members alone', () => {
  const received = {
    kind: 'exception',
    message: 'x',
    line: 1,
    column: 'no',
    ok: true,
    value: 1,
    logs: [],
    toJSON: 1,
  };
  assert.deepEqual(checkFailure(received as never), { kind: 'exception', message: 'x', line: 1 });
  for (const broken of [
    { kind: 'constructor', message: '' },
    { kind: 'limit' },
    { kind: 'limit', message: { a: 1 } },
  ]) {
    assert.throws(() => checkFailure(broken as never), /broken/);
  }
});
