import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { DEFAULT_LIMITS } from '../index.ts';
import type { FromChild } from '../protocol.ts';
import { GuestRun } from './guest-run.ts';
import type { GuestListener, PreparedIsolate } from './isolate-pool.ts';
import { RunState } from './run-state.ts';

/** A guest that has got hold of the function that posts, and may post anything. */
function rogue(limits: Partial<typeof DEFAULT_LIMITS> = {}) {
  let post: GuestListener = () => {};
  const isolate = { isDisposed: false, dispose: () => {} };
  const prepared = {
    isolate,
    context: { evalSync: () => {} },
    enter: { applySync: () => {} },
    listen: (listener: GuestListener) => {
      post = listener;
    },
  } as unknown as PreparedIsolate;
  const sent: { head: FromChild; body: string | undefined }[] = [];
  const request = { run: 1, code: '', args: '', limits: { ...DEFAULT_LIMITS, ...limits } };
  const send = (head: FromChild, body?: string) => sent.push({ head, body });
  const run = new GuestRun(prepared, request, send, new RunState(), () => {});
  run.start();
  // Ends the run, which otherwise keeps its timers.
  after(() => post('end', '0'));
  const failures = () => sent.flatMap(({ head }) => (head.type === 'end' ? [head.failure?.kind] : []));
  return { post: (...message: unknown[]) => post(...message), sent, failures };
}

describe('a guest that bypassed its own globals', () => {
  test('cannot call more often, or more at once, than its limits allow', () => {
    const { post, failures } = rogue({ calls: 1_000, inFlight: 3 });
    for (let i = 1; i <= 4; i++) post('call', i, '["a"]', '');
    assert.deepEqual(failures(), ['limit']);
  });

  test('cannot have unlimited arguments under way', () => {
    const { post, sent, failures } = rogue({ resultBytes: 1_000 });
    for (let i = 1; i <= 10; i++) post('call', i, '["a"]', 'x'.repeat(900));
    assert.deepEqual(failures(), ['limit']);
    assert.ok(sent.length <= 4);
  });

  test('cannot log beyond its limit, nor at a level of its own', () => {
    const { post, sent } = rogue({ logBytes: 1_000 });
    post('log', 'constructor', 'x');
    for (let i = 0; i < 10_000; i++) post('log', 'log', '');
    assert.ok(sent.length < 20);
  });

  test('cannot send a result above its limit, nor a second one', () => {
    const { post, sent, failures } = rogue({ resultBytes: 10 });
    post('end', 'x'.repeat(11));
    post('end', '1');
    assert.deepEqual(failures(), ['limit']);
    assert.equal(sent.length, 1);
  });

  test('cannot send out a value that is nested too deep', () => {
    const deep = '['.repeat(600) + ']'.repeat(600);
    const result = rogue();
    result.post('end', deep);
    const argument = rogue();
    argument.post('call', 1, '["a"]', deep);
    assert.deepEqual([result.failures(), argument.failures()], [['limit'], ['limit']]);
    assert.equal(argument.sent.length, 1);
  });

  test('cannot set unlimited timers', () => {
    const { post, failures } = rogue();
    for (let i = 0; i <= 10_000; i++) post('timer', i, 1e6, false);
    assert.deepEqual(failures(), ['limit']);
  });

  test('gains nothing by malformed messages', () => {
    const { post, sent } = rogue();
    for (const junk of [[], [undefined], ['nonsense'], [{}, {}], ['clear', {}], ['answer', 1, true, '1']])
      post(...junk);
    assert.deepEqual(sent, []);
    post('end', '1');
    assert.deepEqual(sent, [{ head: { type: 'end', run: 1, failure: undefined }, body: '1' }]);
  });
});
