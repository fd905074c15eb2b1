import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DependencyLog } from './dependency-log.ts';

const named = (spelling: string, state = '1') => ({ spelling, callee: spelling, state, isReadOnly: true });

test('repeated calls of known callees do not count against the limit', () => {
  const log = new DependencyLog();
  for (let n = 0; n < 64; n++) log.note(named(`s:${n}`));
  log.note(named('s:0'));
  assert.equal(log.complete?.length, 64);
  log.note(named('s:64'));
  assert.equal(log.complete, undefined);
});

test('a callee that changes during the run makes its result uncacheable, for the enclosing run too', () => {
  const outer = new DependencyLog();
  const inner = new DependencyLog(outer);
  inner.note(named('s:a'));
  assert.deepEqual([inner.complete?.length, outer.complete?.length], [1, 1]);
  inner.note(named('s:a', '2'));
  assert.deepEqual([inner.complete, outer.complete], [undefined, undefined]);
});
