import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameIndex } from '../../access/index.ts';
import { openLog } from '../../log.ts';
import { ana } from '../../registry/testing.ts';
import { Redactor } from '../../secrets/index.ts';
import { CallTrace } from '../run/call-trace.ts';
import type { Run } from '../run/run.ts';
import { RunProgress } from '../run/run-progress.ts';
import { failureOf } from './failure.ts';

test('a failure is told as it is while the database is away', async () => {
  const gone = () => Promise.reject(new Error('the database is away'));
  const run = {
    who: ana,
    db: { query: gone },
    names: { find: gone },
    tools: new NameIndex('tool', []),
    redactor: new Redactor(),
    log: openLog({ level: 'error' }),
  } as unknown as Run;
  const message = 'ReferenceError: read_fiel is not defined';
  const where = { line: 1, column: 1, logs: [], calls: 0, ms: 1 };
  const failure = await failureOf(run, {
    outcome: { ok: false, kind: 'exception', name: 'ReferenceError', message, ...where },
    trace: new CallTrace(),
    code: 'read_fiel()',
  });
  assert.deepEqual([failure.code, failure.message], ['code_exception', `${message} (line 1, column 1)`]);
});

test('a long message of a callee is cut in the progress of a run', () => {
  const told: string[] = [];
  const report = new RunProgress(({ message }) => told.push(String(message))).began('fs:read');
  report({ progress: 1, total: 2, message: 'x'.repeat(1_000_000) });
  report({ progress: 2, total: 2, message: 'done' });
  assert.match(told[1] ?? '', /^fs:read: x{500}… \(999500 characters left out\) \/ 1 of 2$/);
  assert.deepEqual([told[0], told[2]], ['call 1: fs:read', 'fs:read: done / 2 of 2']);
});
