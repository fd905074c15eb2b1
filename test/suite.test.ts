/** The suite itself: which tests a run has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOut } from '../scripts/test-processes.ts';

const PROCESSES = [
  'build/test-groups/code-1.test.ts',
  'test/web/views.test.ts',
  'test/architecture.test.ts',
  ...['answers', 'bodies', 'floods'].map((name) => `test/hostile/${name}.test.ts`),
];

test('of two everyday runs, each leaves half of the tests of a whole PML to the other', () => {
  const [first, second] = [0, 1].map((turn) => leftOut(PROCESSES, turn)) as [string[], string[]];
  assert.deepEqual(first, ['test/hostile/answers.test.ts', 'test/hostile/floods.test.ts']);
  assert.deepEqual(second, ['test/web/views.test.ts', 'test/hostile/bodies.test.ts']);
});
