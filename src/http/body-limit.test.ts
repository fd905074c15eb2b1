import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerType, serve } from '@hono/node-server';
import { Hono } from 'hono';
import { within } from '../testing/wait.ts';
import { limitBody } from './body-limit.ts';

const LIMITS = { maxBytes: 64 * 1024, discardBytes: 4 * 1024 * 1024, discardMs: 60_000 };
const REFUSAL = { error: { message: 'too large' } };
const CHUNK = Buffer.alloc(32 * 1024, 'z');
const ENCODINGS = ['announced', 'chunked'] as const;
type Encoding = (typeof ENCODINGS)[number];

let server: ServerType;
let port: number;
before(async () => {
  ({ server, port } = await listen(LIMITS));
});
after(() => server.close());

/** Answers each body that is let through with its length. */
function listen(limits: typeof LIMITS): Promise<{ server: ServerType; port: number }> {
  const app = new Hono();
  app.use('*', limitBody(limits, REFUSAL));
  app.all('*', async (c) => c.text(`${(await c.req.text()).length} bytes`));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({ server, port }),
    );
  });
}

function open(encoding: Encoding, bytes: number, to = port): Socket {
  const length = encoding === 'announced' ? `Content-Length: ${bytes}` : 'Transfer-Encoding: chunked';
  const socket = connect(to, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`);
  return socket;
}

function framed(encoding: Encoding, chunk: Buffer): Buffer {
  if (encoding === 'announced') return chunk;
  return Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
}

/** Sends the whole body, with a pause after each chunk, and only then reads the answer. */
async function sendThenRead(encoding: Encoding, chunks: number, pauseMs = 0): Promise<string> {
  const socket = open(encoding, chunks * CHUNK.length);
  const failed = new Promise<never>((_, reject) => socket.once('error', reject));
  failed.catch(() => {});
  const sent = async () => {
    for (let i = 0; i < chunks; i++) {
      await new Promise<void>((resolve) => socket.write(framed(encoding, CHUNK), () => resolve()));
      if (pauseMs > 0) await sleep(pauseMs);
    }
    if (encoding === 'chunked') socket.write('0\r\n\r\n');
    let answer = '';
    for await (const part of socket) answer += part;
    return answer;
  };
  return within(Promise.race([sent(), failed]), 60_000, 'the answer');
}

function assertRefused(answer: string): void {
  const [head, body] = answer.split('\r\n\r\n') as [string, string];
  assert.match(head, /^HTTP\/1\.1 413 /);
  assert.match(head, /^connection: close$/im);
  assert.deepEqual(JSON.parse(body), REFUSAL);
}

for (const encoding of ENCODINGS) {
  test(`a body over the limit is refused: ${encoding}, sent fast`, async () => {
    for (let round = 0; round < 10; round++) {
      const answers = Array.from({ length: 10 }, () => sendThenRead(encoding, 100));
      for (const answer of await Promise.all(answers)) assertRefused(answer);
    }
  });

  test(`a body over the limit is refused: ${encoding}, sent slowly`, async () => {
    const answers = Array.from({ length: 50 }, (_, i) => sendThenRead(encoding, 20, 20 + i));
    for (const answer of await Promise.all(answers)) assertRefused(answer);
  });

  test(`a body up to the limit arrives: ${encoding}`, async () => {
    const socket = open(encoding, LIMITS.maxBytes);
    socket.write(framed(encoding, CHUNK));
    socket.write(framed(encoding, CHUNK));
    if (encoding === 'chunked') socket.write('0\r\n\r\n');
    const answer = await new Promise((resolve) => socket.once('data', (data) => resolve(String(data))));
    assert.match(String(answer), /\r\n\r\n65536 bytes$/);
    socket.destroy();
  });

  test(`a client that sends for ever is cut off: ${encoding}`, async () => {
    const socket = open(encoding, 1e12);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    const chunk = framed(encoding, CHUNK);
    const send = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await within(closed, 60_000, 'the end of the connection');
    const { bytesWritten } = socket;
    // Bytes in the buffers of both ends were sent, but not read.
    assert.ok(
      bytesWritten > LIMITS.discardBytes && bytesWritten < 10 * LIMITS.discardBytes,
      `${bytesWritten} bytes`,
    );
  });

  test(`a client that sends a drop at a time is cut off: ${encoding}`, async () => {
    const impatient = await listen({ ...LIMITS, maxBytes: 10, discardMs: 300 });
    const socket = open(encoding, 1_000_000, impatient.port);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    const dripping = setInterval(() => socket.write(framed(encoding, CHUNK.subarray(0, 20))), 20);
    await within(closed, 60_000, 'the end of the connection');
    clearInterval(dripping);
    impatient.server.close();
  });
}

test('a body that comes byte by byte arrives whole', async () => {
  const text = Array.from({ length: 3000 }, (_, i) => i % 10).join('');
  const socket = open('chunked', text.length);
  for (const byte of Buffer.from(text)) socket.write(framed('chunked', Buffer.of(byte)));
  socket.write('0\r\n\r\n');
  const answer = await new Promise((resolve) => socket.once('data', (data) => resolve(String(data))));
  assert.ok(String(answer).endsWith(`${text.length} bytes`));
  socket.destroy();
});

test('a request without a body is let through', async () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method });
    assert.equal(await answer.text(), '0 bytes');
  }
});
