import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastSevere } from './log-levels.ts';

test('the least severe of several levels is found', () => {
  assert.equal(leastSevere(['error', 'info', 'emergency']), 'info');
  assert.equal(leastSevere(['alert']), 'alert');
  assert.equal(leastSevere([]), undefined);
});
