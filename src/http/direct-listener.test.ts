import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { dripBytes } from '../testing/drip-bytes.ts';
import { directListener } from './direct-listener.ts';

test('a body that comes byte by byte does not keep a Buffer for each', () => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { note: 'not a call' } });
  const headers = { host: 'localhost', 'content-type': 'application/json', 'content-length': text.length };
  const request = Object.assign(new EventEmitter(), {
    method: 'POST',
    url: '/mcp',
    rawHeaders: Object.entries(headers).flat().map(String),
  });
  let body: string | undefined;
  const listen = directListener({
    endpoint: { call: () => false } as never,
    agents: { opened: () => undefined },
    fallback: (read) => {
      body = String((read as IncomingMessage & { rawBody: Buffer }).rawBody);
    },
  });
  listen(request as unknown as IncomingMessage & { req: never }, {} as ServerResponse & { req: never });
  dripBytes(text, (chunk) => request.emit('data', chunk));
  request.emit('end');
  assert.equal(body, text);
});
