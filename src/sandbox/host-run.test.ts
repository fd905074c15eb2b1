import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { HostRun } from './host-run.ts';
import { DEFAULT_LIMITS, type Outcome } from './index.ts';
import type { FromChild, ToChild } from './protocol.ts';
import type { ProcessListener, SandboxProcess } from './sandbox-process.ts';

/** Starts a run in a process that an escaped guest has taken over, and that may send anything. */
function takenOver(t: TestContext) {
  let listener: ProcessListener | undefined;
  let id = 0;
  const process = {
    listen: (newListener: ProcessListener) => {
      listener = newListener;
    },
    send: (head: ToChild) => {
      if (head.type === 'run') id = head.run;
    },
  } as unknown as SandboxProcess;
  const limits = { ...DEFAULT_LIMITS, calls: 3, inFlight: 2, logBytes: 1_000 };
  const outcomes: Outcome[] = [];
  const callOut = () => new Promise(() => {});
  const request = { code: '', args: undefined, callOut, limits, signal: undefined, deadline: undefined };
  const run = new HostRun(request, (outcome) => outcomes.push(outcome));
  run.begin(process);
  t.after(() => run.fail('cancelled', ''));
  const send = (head: object, body = '') =>
    listener?.frame({ head: { run: id, ...head } as FromChild, body });
  return { send, outcomes };
}

describe('a message of a taken-over process', () => {
  test('is refused if it is malformed', (t) => {
    const { send, outcomes } = takenOver(t);
    for (const head of [
      { type: 'ready' },
      { type: 'end', run: 12_345 },
      { type: 'log', level: 'x' },
      { type: 'call', path: 1 },
    ]) {
      assert.throws(() => send(head), /unexpected|broken/);
    }
    assert.throws(() => send({ type: 'end' }, 'no JSON'), SyntaxError);
    assert.throws(() => send({ type: 'end', failure: { kind: 'exception', message: {} } }), /broken/);
    assert.deepEqual(outcomes, []);
  });

  test('cannot keep the host busy by reporting again that the run has begun', (t) => {
    const { send, outcomes } = takenOver(t);
    send({ type: 'begun' });
    assert.throws(() => send({ type: 'begun' }), /unexpected/);
    assert.deepEqual(outcomes, []);
  });

  test('cannot fill the host with output', (t) => {
    const { send } = takenOver(t);
    assert.throws(() => {
      for (;;) send({ type: 'log', level: 'log' }, '');
    }, /too much output/);
  });

  test('cannot call beyond the limits', (t) => {
    const { send, outcomes } = takenOver(t);
    for (let call = 0; call < 3; call++) send({ type: 'call', call, path: ['a', 'b'] });
    assert.deepEqual(
      outcomes.map((outcome) => !outcome.ok && outcome.kind),
      ['limit'],
    );
  });

  test('has no effect once the run is over', (t) => {
    const { send, outcomes } = takenOver(t);
    send({ type: 'end' }, '{"__proto__":{"polluted":true}}');
    send({ type: 'end' }, '2');
    assert.equal(outcomes.length, 1);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
});
