import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childProgram, guestProgram } from './bundle-scripts.ts';

test('the programs stand by themselves: no module syntax is left, no name is there twice', () => {
  // Either would be a syntax error.
  assert.doesNotThrow(() => new Function(childProgram()));
  assert.doesNotThrow(() => new Function(`return ${guestProgram()}`));
});
