import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UndoLog } from './undo-log.ts';

test('a decision is taken back once, and can be tried again if that failed', async () => {
  const log = new UndoLog();
  const problems = [new Error('the database is away')];
  let times = 0;
  const token = log.keep(async () => {
    const problem = problems.pop();
    if (problem) throw problem;
    times += 1;
  });
  await assert.rejects(log.undo(token), /away/);
  const both = await Promise.allSettled([log.undo(token), log.undo(token)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  await assert.rejects(log.undo(token), /no longer/);
  assert.equal(times, 1);
});
