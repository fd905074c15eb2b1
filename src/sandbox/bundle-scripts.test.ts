import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childScript, guestScript } from './bundle-scripts.ts';

test('the bundled scripts have no module syntax left and declare no name twice', () => {
  // Either would be a syntax error.
  assert.doesNotThrow(() => new Function(childScript()));
  assert.doesNotThrow(() => new Function(`return ${guestScript()}`));
});
