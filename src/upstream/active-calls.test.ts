import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PausableDeadline } from '../pausable-deadline.ts';
import { ActiveCalls } from './active-calls.ts';

const deadline = new PausableDeadline(60_000);
const TOO_MANY = /^PmlError: Too many calls of server "s" are under way\.$/;

test('a session that floods a server is refused before it takes the answers of others', () => {
  const calls = new ActiveCalls();
  const add = (session: string) => calls.add('s', { session, deadline });
  const ends = Array.from({ length: 4000 }, () => add('flood'));
  assert.throws(() => add('flood'), TOO_MANY);
  const end = add('other');
  ends[0]?.();
  ends[0] = add('flood');
  for (let at = 0; at < 3999; at++) add(`single ${at}`);
  assert.throws(() => add('one more'), TOO_MANY);
  end();
  add('one more');
});
