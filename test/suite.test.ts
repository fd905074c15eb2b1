/** The suite itself: which tests a run has. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { leftOut } from '../scripts/test-processes.ts';

const PROCESSES = [
  'build/test-groups/code-1.test.ts',
  'test/web/views.test.ts',
  'test/architecture.test.ts',
  ...['answers', 'bodies', 'floods'].map((name) => `test/hostile/${name}.test.ts`),
];

test('a run in a new checkout leaves nothing out', () => {
  assert.deepEqual(leftOut(PROCESSES, undefined), []);
});

test('three everyday runs have all tests of a whole PML, a third each, in whatever order they run', () => {
  const thirds = [['answers', 'views'], ['bodies'], ['floods']];
  for (const processes of [PROCESSES, PROCESSES.toReversed()]) {
    for (const [turn, third] of thirds.entries()) {
      const others = leftOut(processes, turn).map((file) => path.basename(file, '.test.ts'));
      assert.deepEqual(
        others,
        ['answers', 'bodies', 'floods', 'views'].filter((one) => !third.includes(one)),
      );
    }
  }
});
