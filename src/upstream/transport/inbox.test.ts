import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { Inbox } from './inbox.ts';

const note = (n: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { n },
});
const answer = (id: number | string): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });
const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} });

function openInbox() {
  const delivered: JSONRPCMessage[] = [];
  const signals: string[] = [];
  const inbox = new Inbox({
    deliver: (message) => delivered.push(message),
    onFull: () => signals.push('full'),
    onFree: () => signals.push('free'),
  });
  return { inbox, delivered, signals };
}

test('messages keep their order, and an answer waits for the notifications before it', async () => {
  const { inbox, delivered } = openInbox();
  inbox.sent(request(1));
  for (const message of [note(1), note(2), answer(1)]) inbox.add(message, 10);
  assert.deepEqual(delivered, [note(1)]);
  while (delivered.length < 3) await sleep(1);
  assert.deepEqual(delivered, [note(1), note(2), answer(1)]);
});

test('an unrequested answer is dropped, and costs as much as any message', () => {
  const { inbox, delivered } = openInbox();
  inbox.sent(request(1));
  inbox.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  inbox.add(answer(1), 10);
  inbox.sent(request(2));
  inbox.forget(request(2));
  inbox.add(answer(2), 10);
  inbox.add(answer('nobody'), 10);
  assert.deepEqual(delivered, []);
  assert.ok(inbox.spent > 3);
});

test('an answer is delivered once, with its id as number or text, and costs nothing', () => {
  const { inbox, delivered } = openInbox();
  inbox.sent(request(7));
  inbox.add(answer('7'), 10_000_000);
  inbox.add(answer(7), 0);
  assert.equal(delivered.length, 1);
  assert.ok(inbox.spent < 2);
});

test('a long queue pauses reading once, and resumes it when it is short', async () => {
  const { inbox, delivered, signals } = openInbox();
  for (let n = 0; n < 500; n++) inbox.add(note(n), 10);
  assert.deepEqual(signals, ['full']);
  while (delivered.length < 500) await sleep(1);
  assert.deepEqual(signals, ['full', 'free']);
  assert.deepEqual(delivered.at(-1), note(499));
});

test('reading pauses when a server has used up its reserve, until it recovers', async () => {
  const { inbox, signals } = openInbox();
  inbox.countInvalidLine(12_100 * 512);
  assert.deepEqual(signals, ['full']);
  const started = performance.now();
  while (signals.length < 2) await sleep(5);
  assert.ok(performance.now() - started > 100);
});
