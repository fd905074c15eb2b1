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

test('of two everyday runs, each leaves half of the tests of a whole PML to the other, in whatever order they run', () => {
  for (const processes of [PROCESSES, PROCESSES.toReversed()]) {
    assert.deepEqual(leftOut(processes, 0), ['test/hostile/bodies.test.ts', 'test/web/views.test.ts']);
    assert.deepEqual(leftOut(processes, 1), ['test/hostile/answers.test.ts', 'test/hostile/floods.test.ts']);
  }
});
