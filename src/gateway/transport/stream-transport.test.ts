import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { MAX_LINE_BYTES, StreamTransport } from './stream-transport.ts';

/** A connection whose client reads all, or nothing until it is told to. */
async function connect(reads: boolean) {
  const lines: string[] = [];
  let isReading = reads;
  let onRead = () => {};
  const readOn = () => {
    isReading = true;
    onRead();
  };
  const stream = new Duplex({
    read: () => {},
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      if (isReading) done();
      else onRead = done;
    },
  });
  const errors: string[] = [];
  const transport = new StreamTransport(stream);
  transport.onerror = ({ message }) => errors.push(message);
  await transport.start();
  return { stream, transport, lines, errors, readOn };
}

const answer = (id: number, text: string): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: { text } });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an answer longer than clients accept becomes an error of its request', async () => {
  const { transport, lines } = await connect(true);
  const around = JSON.stringify(answer(1, '')).length + 1;
  await transport.send(answer(1, 'x'.repeat(MAX_LINE_BYTES - around)));
  await transport.send(answer(2, 'x'.repeat(MAX_LINE_BYTES - around + 1)));
  await transport.send(answer(3, '漢'.repeat(MAX_LINE_BYTES / 2)));
  await turn();
  const [whole, ...refused] = lines.map((line) => JSON.parse(line));
  assert.equal(whole.result.text.length, MAX_LINE_BYTES - around);
  assert.deepEqual(
    refused.map(({ id, error }) => [id, error.code]),
    [
      [2, -32603],
      [3, -32603],
    ],
  );
  assert.match(refused[0].error.message, /has 10223617 bytes, and clients on stdio take at most 10223616/);
  const question = {
    jsonrpc: '2.0',
    id: 4,
    method: 'roots/list',
    params: { text: 'x'.repeat(MAX_LINE_BYTES) },
  };
  await assert.rejects(transport.send(question as JSONRPCMessage), /take at most/);
});

test('progress for a client that does not read is dropped, and answers wait', async () => {
  const { transport, stream } = await connect(false);
  for (let id = 0; id < 5; id++) void transport.send(answer(id, 'x'.repeat(1024 * 1024)));
  const waiting = stream.writableLength;
  const progress = {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progress: 1 },
  } as JSONRPCMessage;
  for (let i = 0; i < 1000; i++) void transport.send(progress);
  assert.equal(stream.writableLength, waiting);
  void transport.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  assert.ok(stream.writableLength > waiting);
});

test('a client that reads nothing of 128 MB is disconnected', async () => {
  const { transport, stream, errors } = await connect(false);
  for (let id = 0; id < 20 && !stream.destroyed; id++) void transport.send(answer(id, 'x'.repeat(9_000_000)));
  assert.ok(stream.destroyed);
  assert.deepEqual(errors, ['the client does not read its answers, and is disconnected']);
});

test('all answers that wait for a client are one wait, which ends when it reads', async () => {
  const { transport, stream, readOn } = await connect(false);
  const sent = Array.from({ length: 50 }, (_, id) => transport.send(answer(id, 'x'.repeat(100_000))));
  assert.equal(stream.listenerCount('drain'), 1);
  assert.ok(stream.isPaused());
  await turn();
  readOn();
  await Promise.all(sent);
  assert.equal(stream.listenerCount('drain'), 0);
  assert.ok(!stream.isPaused());
});

test('a client that closes its side and does not read is disconnected', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { transport, stream } = await connect(false);
  void transport.send(answer(1, 'x'));
  stream.push(null);
  await transport.close();
  assert.ok(!stream.destroyed);
  t.mock.timers.tick(5000);
  assert.ok(stream.destroyed);
});

test('a burst of messages is begun over several turns, in order, before the end of the stream', async () => {
  const { transport, stream } = await connect(true);
  const turns: number[][] = [];
  let isNewTurn = true;
  transport.onmessage = (message) => {
    if (isNewTurn) {
      turns.push([]);
      setImmediate(() => {
        isNewTurn = true;
      });
    }
    isNewTurn = false;
    turns.at(-1)?.push((message as { id: number }).id);
  };
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  const ids = Array.from({ length: 105 }, (_, id) => id);
  stream.push(ids.map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`).join(''));
  // The end is there at once, and yet comes last.
  stream.push(null);
  await ended;
  assert.deepEqual(turns.flat(), ids);
  // Twenty in a turn; which of two turns a message is counted in depends on who looks first.
  assert.ok(turns.every(({ length }) => length <= 40) && turns.length >= 3, JSON.stringify(turns));
});
