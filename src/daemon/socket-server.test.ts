import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PmlError } from '../errors.ts';
import { openLog } from '../log.ts';
import { eventually, within } from '../testing/wait.ts';
import { SocketServer, type SocketServerOptions, sendLine } from './socket-server.ts';

const STATUS = '{"dialect":1,"version":"1.0.0","kind":"status"}\n';
const onUnix = { skip: process.platform === 'win32' && 'named pipes have no file' };

async function open(t: TestContext, serve: SocketServerOptions['serve']) {
  const home = mkdtempSync(join(tmpdir(), 'pml-socket-'));
  const path = join(home, 'daemon.sock');
  const log = openLog({ level: 'silent' });
  const server = new SocketServer({ home, path, log, serve, onConnectionsChanged: () => {} });
  await server.open();
  t.after(() => {
    server.stopListening();
    server.disconnectAll();
    rmSync(home, { recursive: true, force: true });
  });
  return { server, path };
}

/** Connects, sends a text, and returns all that the server sends until it ends the connection. */
async function sendAndReceive(path: string, text: string): Promise<string> {
  const socket = createConnection(path);
  socket.write(text);
  const read = async () => {
    let received = '';
    for await (const chunk of socket) received += chunk;
    return received;
  };
  return within(read(), 60_000, 'the end of the connection');
}

test('a client is served after its handshake', onUnix, async (t) => {
  const { server, path } = await open(t, async (socket, handshake) => {
    sendLine(socket, { ok: true, kind: handshake.kind });
    socket.end();
  });
  assert.deepEqual(JSON.parse(await sendAndReceive(path, STATUS)), { ok: true, kind: 'status' });
  await eventually(() => server.connections.size === 0, 'the connection is forgotten');
});

test('a client whose handshake or request is refused is told why, and disconnected', onUnix, async (t) => {
  const { path } = await open(t, async () => {
    throw new PmlError('not_allowed', 'Not today.', { hint: 'Come back tomorrow.' });
  });
  assert.match(await sendAndReceive(path, 'nonsense\n'), /must be a handshake/);
  assert.deepEqual(JSON.parse(await sendAndReceive(path, STATUS)), {
    error: { code: 'not_allowed', message: 'Not today.', hint: 'Come back tomorrow.' },
  });
});

test('an error that is a fault of PML is answered as internal', onUnix, async (t) => {
  const { path } = await open(t, async () => {
    throw new TypeError('broken');
  });
  assert.equal(JSON.parse(await sendAndReceive(path, STATUS)).error.code, 'internal');
});

test('only the owner can use the socket, which is gone at the end', onUnix, async (t) => {
  const served: Socket[] = [];
  const { server, path } = await open(t, async (socket) => {
    served.push(socket);
  });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const ended = sendAndReceive(path, STATUS);
  await eventually(() => served.length === 1, 'the client is served');
  server.stopListening();
  server.disconnectAll();
  assert.equal(await ended, '');
  assert.equal(existsSync(path), false);
});
