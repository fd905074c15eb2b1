import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readLine } from './socket-protocol.js';

const stream = () => new PassThrough() as PassThrough & Socket;

test('a line that arrives in pieces is read whole, and what follows stays in the stream', async () => {
  const socket = stream();
  const first = readLine(socket, 1000);
  for (const piece of ['{"a"', ':1}', '\n{"b":2}\nrest']) socket.write(piece);
  assert.equal(await first, '{"a":1}');
  assert.equal(await readLine(socket, 1000), '{"b":2}');
  assert.equal(String(socket.read()), 'rest');
});

test('a character that is cut in two arrives whole', async () => {
  const socket = stream();
  const bytes = Buffer.from('漢\n');
  const line = readLine(socket, 1000);
  socket.write(bytes.subarray(0, 1));
  socket.write(bytes.subarray(1));
  assert.equal(await line, '漢');
});

test('a stream that ends before its line gives none', async () => {
  const socket = stream();
  const line = readLine(socket, 1000);
  socket.end('half a li');
  assert.equal(await line, undefined);
});

test('a line over the limit is given up', async () => {
  const socket = stream();
  const line = readLine(socket, 10);
  socket.write('x'.repeat(11));
  assert.equal(await line, undefined);
});
