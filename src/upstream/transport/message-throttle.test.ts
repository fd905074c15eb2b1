import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { MessageThrottle } from './message-throttle.ts';

const note = (n: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { n },
});
const answer = (id: number | string): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });
const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} });

function openThrottle() {
  const delivered: JSONRPCMessage[] = [];
  const signals: string[] = [];
  const throttle = new MessageThrottle({
    deliver: (message) => delivered.push(message),
    onFull: () => signals.push('full'),
    onFree: () => signals.push('free'),
  });
  return { throttle, delivered, signals };
}

test('messages keep their order, and an answer waits for the notifications before it', async () => {
  const { throttle, delivered } = openThrottle();
  throttle.sent(request(1));
  for (const message of [note(1), note(2), answer(1)]) throttle.add(message, 10);
  assert.deepEqual(delivered, [note(1)]);
  while (delivered.length < 3) await sleep(1);
  assert.deepEqual(delivered, [note(1), note(2), answer(1)]);
});

test('an unrequested answer is dropped, and costs as much as any message', () => {
  const { throttle, delivered } = openThrottle();
  throttle.sent(request(1));
  throttle.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  throttle.add(answer(1), 10);
  throttle.sent(request(2));
  throttle.forget(request(2));
  throttle.add(answer(2), 10);
  throttle.add(answer('nobody'), 10);
  assert.deepEqual(delivered, []);
  assert.ok(throttle.spent > 3);
});

test('an answer is delivered once, with its id as number or text, and costs nothing', () => {
  const { throttle, delivered } = openThrottle();
  throttle.sent(request(7));
  throttle.add(answer('7'), 10_000_000);
  throttle.add(answer(7), 0);
  assert.equal(delivered.length, 1);
  assert.ok(throttle.spent < 2);
});

test('a long queue pauses reading once, and resumes it when it is short', async () => {
  const { throttle, delivered, signals } = openThrottle();
  for (let n = 0; n < 500; n++) throttle.add(note(n), 10);
  assert.deepEqual(signals, ['full']);
  while (delivered.length < 500) await sleep(1);
  assert.deepEqual(signals, ['full', 'free']);
  assert.deepEqual(delivered.at(-1), note(499));
});

test('reading pauses when a server has used up its reserve, until it recovers', async () => {
  const { throttle, signals } = openThrottle();
  const started = performance.now();
  throttle.countInvalidLine(12_100 * 512);
  assert.deepEqual(signals, ['full']);
  while (signals.length < 2) await sleep(5);
  assert.ok(performance.now() - started > 100);
});
