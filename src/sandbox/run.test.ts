import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { DEFAULT_LIMITS, type Outcome } from './index.ts';
import type { Listener, SandboxProcess } from './process.ts';
import type { FromChild, ToChild } from './protocol.ts';
import { HostRun } from './run.ts';

/** A run in a process that an escaped guest has taken over, and that says what it likes. */
function takenOver(t: TestContext) {
  let listener: Listener | undefined;
  let id = 0;
  const process = {
    listen: (given: Listener) => {
      listener = given;
    },
    send: (head: ToChild) => {
      if (head.type === 'run') id = head.run;
    },
  } as unknown as SandboxProcess;
  const limits = { ...DEFAULT_LIMITS, calls: 3, inFlight: 2, logBytes: 1_000 };
  const outcomes: Outcome[] = [];
  const callOut = () => new Promise(() => {});
  const request = { code: '', args: undefined, callOut, limits, signal: undefined, patience: undefined };
  const run = new HostRun(request, (outcome) => outcomes.push(outcome));
  run.begin(process);
  t.after(() => run.fail('cancelled', ''));
  const say = (head: object, body = '') => listener?.frame({ head: { run: id, ...head } as FromChild, body });
  return { say, outcomes };
}

describe('what a taken-over process says', () => {
  test('is refused where it is not of the form', (t) => {
    const { say, outcomes } = takenOver(t);
    for (const head of [
      { type: 'ready' },
      { type: 'end', run: 12_345 },
      { type: 'log', level: 'x' },
      { type: 'call', path: 1 },
    ]) {
      assert.throws(() => say(head), /unexpected|broken/);
    }
    assert.throws(() => say({ type: 'end' }, 'no JSON'), SyntaxError);
    assert.throws(() => say({ type: 'end', failure: { kind: 'exception', message: {} } }), /broken/);
    assert.deepEqual(outcomes, []);
  });

  test('cannot keep the host busy with signs of life', (t) => {
    const { say, outcomes } = takenOver(t);
    say({ type: 'begun' });
    assert.throws(() => say({ type: 'begun' }), /unexpected/);
    assert.deepEqual(outcomes, []);
  });

  test('cannot fill the host with output', (t) => {
    const { say } = takenOver(t);
    assert.throws(() => {
      for (;;) say({ type: 'log', level: 'log' }, '');
    }, /too much output/);
  });

  test('cannot call beyond the limits', (t) => {
    const { say, outcomes } = takenOver(t);
    for (let call = 0; call < 3; call++) say({ type: 'call', call, path: ['a', 'b'] });
    assert.deepEqual(
      outcomes.map((outcome) => !outcome.ok && outcome.kind),
      ['limit'],
    );
  });

  test('counts no more once the run is over', (t) => {
    const { say, outcomes } = takenOver(t);
    say({ type: 'end' }, '{"__proto__":{"polluted":true}}');
    say({ type: 'end' }, '2');
    assert.equal(outcomes.length, 1);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
});
