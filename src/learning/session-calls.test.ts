import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallWindow } from './call-window.ts';
import { SessionCalls } from './session-calls.ts';

const RESULT = { content: [{ type: 'text', text: 'x' }] };

function observed() {
  const clock = { ms: 0 };
  const seen = { read: 0, breaks: 0 };
  let told = 0;
  const window = {
    add: () => {
      seen.read += 1;
    },
    end: () => {
      seen.breaks += 1;
    },
  } as unknown as CallWindow;
  const session = new SessionCalls({
    window,
    now: () => clock.ms,
    valueOf: () => 'x',
    onWaiting: () => {
      told += 1;
    },
    onClose: () => {},
  });
  const call = () => {
    session.begin('fs:read', { path: 'a' }).ended(RESULT);
    session.read(10);
  };
  return { clock, seen, call, session, told: () => told };
}

test('calls at the pace of an agent are all read', () => {
  const { clock, seen, call } = observed();
  for (let i = 0; i < 5000; i++) {
    clock.ms += 50;
    call();
  }
  assert.deepEqual(seen, { read: 5000, breaks: 0 });
});

test('a flood is read in part, and what is left out breaks the sequence once', () => {
  const { clock, seen, call } = observed();
  for (let i = 0; i < 10_000; i++) call();
  assert.deepEqual(seen, { read: 2000, breaks: 1 });
  clock.ms += 1000;
  for (let i = 0; i < 10_000; i++) call();
  assert.deepEqual(seen, { read: 2100, breaks: 2 });
});

test('calls behind one that hangs are given up, and later ones are read again', () => {
  const { seen, session, told } = observed();
  session.begin('fs:hang', {});
  for (let i = 0; i < 300; i++) session.begin('fs:read', { path: 'a' }).ended(RESULT);
  assert.equal(told(), 1);
  assert.equal(session.read(1000), false);
  assert.deepEqual(seen, { read: 45, breaks: 1 });
});
