/** The suite itself: which tests a run has. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { longTestsLeftOut } from '../scripts/test-processes.ts';

const ROOT = path.join(import.meta.dirname, '..');
const LONG_TESTS: string[] = JSON.parse(readFileSync(path.join(ROOT, 'scripts', 'long-tests.json'), 'utf8'));

test('every long test is a file, named once', () => {
  assert.deepEqual(
    LONG_TESTS.filter((file) => !existsSync(path.join(ROOT, file))),
    [],
  );
  assert.equal(new Set(LONG_TESTS).size, LONG_TESTS.length);
});

test('of two runs, each leaves out half of the long tests, and the other has these', () => {
  const [first, second] = [0, 1].map((turn) => longTestsLeftOut(turn)) as [string[], string[]];
  assert.deepEqual([...first, ...second].sort(), LONG_TESTS.toSorted());
  assert.ok(Math.abs(first.length - second.length) <= 1);
});
