import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { HostReplay, type ReplayOutcome } from './host-replay.ts';
import type { FromChild, ToChild } from './protocol.ts';
import { DEFAULT_REPLAY_LIMITS, type ReplayRequest } from './replay-request.ts';
import type { ProcessListener, SandboxProcess } from './sandbox-process.ts';

/** Starts a replay of one program in one world, in a process that an escaped guest has taken over. */
function takenOver(t: TestContext) {
  let listener: ProcessListener | undefined;
  let id = 0;
  const process = {
    listen: (newListener: ProcessListener) => {
      listener = newListener;
    },
    send: (head: ToChild) => {
      if (head.type === 'replay') id = head.run;
    },
  } as unknown as SandboxProcess;
  const request: ReplayRequest = {
    programs: [{ code: '', args: {} }],
    worlds: [{ kind: 'recorded', seed: 0 }],
    calls: [],
    reads: [],
  };
  const ends: { outcome: ReplayOutcome; mustKill: boolean }[] = [];
  const limits = { ...DEFAULT_REPLAY_LIMITS, calls: 2, memoryMb: 128 };
  const replay = new HostReplay(request, limits, undefined, (outcome, mustKill) =>
    ends.push({ outcome, mustKill }),
  );
  replay.begin(process);
  t.after(() => replay.abandon());
  const send = (head: object, body = '') =>
    listener?.frame({ head: { run: id, ...head } as FromChild, body });
  return { send, ends, exit: () => listener?.exit({ code: 1, signal: null, stderr: '' }) };
}

const call = { name: 'a:b', args: '{}', unanswered: 0 };

describe('a message of a taken-over process', () => {
  test('is refused if it is none of a replay', (t) => {
    const { send, ends } = takenOver(t);
    for (const head of [
      { type: 'ready' },
      { type: 'replayed', run: 12_345 },
      { type: 'log', level: 'log' },
      { type: 'call', call: 1, path: ['a', 'b'] },
      { type: 'end' },
    ]) {
      assert.throws(() => send(head, '1'), /unexpected/);
    }
    send({ type: 'begun' });
    assert.throws(() => send({ type: 'begun' }), /unexpected/);
    assert.deepEqual(ends, []);
  });

  test('is refused if its transcripts are malformed or beyond the limits', (t) => {
    const { send, ends } = takenOver(t);
    const broken: unknown[] = [
      null,
      {},
      [],
      [[]],
      [[null]],
      [
        [
          { calls: [], end: 'value', value: '1' },
          { calls: [], end: 'value', value: '1' },
        ],
      ],
      [[{ end: 'value', value: '1' }]],
      [[{ calls: [], end: 'won', value: '1' }]],
      [[{ calls: [], end: 'value', value: 1 }]],
      [[{ calls: [], end: 'value', value: '{' }]],
      [[{ calls: [], end: 'value', value: '['.repeat(600) + ']'.repeat(600) }]],
      [[{ calls: [], end: 'failure', message: {} }]],
      [[{ calls: [call, call, call], end: 'value', value: '1' }]],
      [[{ calls: [{ name: 1, args: '', unanswered: 0 }], end: 'value', value: '1' }]],
      [[{ calls: [{ name: 'a', args: '', unanswered: '0' }], end: 'value', value: '1' }]],
      [[{ calls: [{ name: 'a', args: {} }], end: 'value', value: '1' }]],
      [[{ calls: [null], end: 'value', value: '1' }]],
    ];
    for (const body of broken)
      assert.throws(
        () => send({ type: 'replayed' }, JSON.stringify(body)),
        /broken|JSON/,
        JSON.stringify(body),
      );
    assert.throws(() => send({ type: 'replayed' }, '['.repeat(2_000)), /broken/);
    assert.deepEqual(ends, []);
  });

  test('gives known members alone, once', (t) => {
    const { send, ends, exit } = takenOver(t);
    const received = {
      calls: [{ ...call, x: 1 }],
      end: 'value',
      value: '2',
      message: 'x',
      __proto__: null,
      y: 1,
    };
    send({ type: 'replayed' }, JSON.stringify([[received]]));
    send({ type: 'end', failure: { kind: 'memory', message: '' } });
    exit();
    assert.deepEqual(ends, [{ outcome: [[{ calls: [call], end: 'value', value: '2' }]], mustKill: false }]);
  });

  test('that reports a failure, like an exit, costs the process', (t) => {
    const reported = takenOver(t);
    reported.send({ type: 'end', failure: { kind: 'timeout', message: 'too long' } });
    const gone = takenOver(t);
    gone.exit();
    assert.deepEqual(reported.ends, [{ outcome: { failed: 'too long' }, mustKill: true }]);
    assert.equal(gone.ends[0]?.mustKill, true);
  });
});
