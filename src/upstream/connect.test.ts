import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { ServerConfig } from '../config/index.ts';
import { within } from '../testing/wait.ts';
import { connect } from './connect.ts';

/** Answers as an old server does, but the first event of its stream never comes. */
const silent = createServer((request, response) => {
  if (request.method !== 'GET') return void response.writeHead(405).end();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  silent.emit('streaming');
});
silent.listen(0, '127.0.0.1');
await once(silent, 'listening');
after(() => {
  silent.closeAllConnections();
  silent.close();
});

function connectToSilent(timeoutMs: number, signal: AbortSignal): Promise<unknown> {
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/sse`;
  const server = { name: 'silent', transport: { kind: 'sse', url, headers: {} } } as unknown as ServerConfig;
  return connect({
    server,
    knownEra: 'legacy',
    capabilities: {},
    onOutput: () => {},
    timeoutMs,
    signal,
    prepare: () => {},
  });
}

test('a stop ends the wait for the first event of an old server', async () => {
  const stop = new AbortController();
  const connecting = connectToSilent(600_000, stop.signal);
  await once(silent, 'streaming');
  stop.abort();
  await assert.rejects(within(connecting, 60_000, 'the end of the attempt'), /stopped while it was starting/);
});

test('the wait for the first event of an old server has a limit', async () => {
  const connecting = connectToSilent(50, new AbortController().signal);
  await assert.rejects(within(connecting, 60_000, 'the end of the attempt'), /did not answer the handshake/);
});
