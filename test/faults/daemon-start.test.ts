/** Which process becomes the daemon, which replaces it, and what wrong input on its socket does. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { connectDaemon } from '../../src/daemon/connect-daemon.js';
import { waitForExit, within } from '../../src/testing/wait.ts';
import { VERSION } from '../../src/version.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { copyOfPml } from '../support/pml-copy.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { assertUnharmed, residentMb } from './bystander.ts';

const server = fixtureServer('hostile-stdio.ts');

for (const count of [2, 20]) {
  test(`${count} pml serve started at the same moment on an empty home share one daemon`, async (t) => {
    const pml = new Pml(t, { mcpServers: { good: server } });
    const sessions = Array.from({ length: count }, () => new RawSession(pml));
    await Promise.all(
      sessions.map(async (session, i) => {
        await session.initialize();
        assert.equal(textOf(await session.call('good:echo', { text: `${i}` })), `${i}`);
      }),
    );
    const pids = await Promise.all(sessions.map(async (session) => textOf(await session.call('good:pid'))));
    assert.equal(new Set(pids).size, 1, 'one copy of the server');
    assert.equal((await statusOf(pml)).sessions, count);
    const log = readFileSync(join(pml.home, 'log', 'pml.log'), 'utf8');
    assert.equal(log.match(/PML \S+ started on/g)?.length, 1, 'one daemon');
    assert.ok(sessions.every(({ stderr }) => !/fail|error|could not/i.test(stderr)));
  });
}

describe('another version', () => {
  const pml = new Pml({ after }, { mcpServers: { good: server } });

  test('a newer pml serve drains the older daemon and takes its place', async () => {
    const older = await new RawSession(pml).initialize();
    const former = await statusOf(pml);
    assert.equal(former.version, VERSION);
    const until = join(pml.dir, 'until-newer');
    const running = older.call('good:hold', { until });
    await older.call('good:await_held', { until });
    const program = copyOfPml(join(pml.dir, 'newer'), { version: '99.0.0' });
    const newer = new RawSession(pml, { program });
    const greeted = newer.initialize();
    await pml.logged(/a newer PML \(99\.0\.0\) takes over/);
    writeFileSync(until, '');
    await greeted;
    assert.equal(textOf(await newer.call('good:echo', { text: 'new' })), 'new');
    assert.equal(textOf(await running), 'held', 'the call under way was finished first');
    const { code, stderr } = await within(older.ended, 60_000, 'the end of the older session');
    assert.equal(code, 1);
    assert.match(stderr, /background process ended.*Reconnect/);
    await waitForExit(former.pid);
  });

  test('a newer daemon serves an older pml serve, and keeps running', async () => {
    const { version, pid } = await statusOf(pml);
    assert.equal(version, '99.0.0');
    const older = await new RawSession(pml).initialize();
    assert.equal(textOf(await older.call('good:echo', { text: 'old' })), 'old');
    assert.equal((await statusOf(pml)).pid, pid);
  });

  test('a newer pml status stops nothing', async () => {
    const program = copyOfPml(join(pml.dir, 'newest'), { version: '100.0.0' });
    const { pid } = await statusOf(pml);
    const { code, stdout } = await pml.run(['status'], { program });
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`PML 99\\.0\\.0 runs as process ${pid}`));
    assert.equal((await statusOf(pml)).pid, pid);
  });
});

describe('the socket', () => {
  const pml = new Pml({ after }, { mcpServers: { good: server } });
  let other: Client;
  before(async () => {
    other = await pml.stdio();
  });

  /** Connects, sends bytes, and returns all that comes back until the daemon closes the connection. */
  function sendRaw(bytes: string | Buffer): Promise<string> {
    const answer = new Promise<string>((resolve) => {
      let received = '';
      const socket: Socket = createConnection(join(pml.home, 'daemon.sock'));
      socket.setEncoding('utf8').on('data', (text: string) => {
        received += text;
      });
      // The daemon may close the connection while there is more to write.
      socket.on('error', () => {});
      socket.on('close', () => resolve(received));
      socket.write(bytes);
    });
    return within(answer, 60_000, 'the end of the connection');
  }

  test('the home and the socket are their owner’s alone', () => {
    assert.equal(statSync(pml.home).mode & 0o777, 0o700);
    assert.equal(statSync(join(pml.home, 'daemon.sock')).mode & 0o777, 0o600);
    assert.equal(statSync(join(pml.home, 'log')).mode & 0o777, 0o700);
    for (const file of ['log/pml.log', 'journal.jsonl']) {
      assert.equal(statSync(join(pml.home, file)).mode & 0o777, 0o600, file);
    }
  });

  const WRONG_HANDSHAKES: [string, string, RegExp][] = [
    ['garbage', 'GET / HTTP/1.1\n', /first line on this socket must be a handshake/],
    ['an empty line', '\n', /first line on this socket must be a handshake/],
    ['null', 'null\n', /another version/],
    ['one without a protocol version', '{}\n', /another version/],
    [
      'one of another protocol version',
      '{"dialect":99,"version":"9.9.9","kind":"stop"}\n',
      /another version .*same version/,
    ],
    ['an unknown kind', '{"dialect":1,"version":"0.0.1","kind":"dance"}\n', /was not understood/],
    [
      'a session without a folder',
      '{"dialect":1,"version":"0.0.1","kind":"session"}\n',
      /was not understood/,
    ],
  ];
  for (const [what, line, words] of WRONG_HANDSHAKES) {
    test(`a client whose first line is ${what} is told why and disconnected`, async () => {
      assert.match(await sendRaw(line), words);
      await assertUnharmed(other);
    });
  }

  test('10 MB without an end of line are not kept in memory', async () => {
    const { pid } = await statusOf(pml);
    const before = residentMb(pid);
    assert.equal(await sendRaw(Buffer.alloc(10 * 1024 * 1024, 'x')), '');
    assert.ok(residentMb(pid) - before < 100);
    await assertUnharmed(other);
  });

  test('a client gives up on a suspended daemon, which goes on when it is resumed', async () => {
    const { pid } = await statusOf(pml);
    process.kill(pid, 'SIGSTOP');
    try {
      const connection = connectDaemon({
        env: pml.env,
        handshake: { version: VERSION, kind: 'status' },
        timeoutMs: 500,
      });
      await assert.rejects(within(connection, 60_000, 'the end of the attempt'), {
        message: `PML's background process does not answer on ${join(pml.home, 'daemon.sock')}.`,
        hint: /See .*log for the reason/,
      });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await assertUnharmed(other);
  });

  test('200 clients that connect and send nothing harm nobody', async () => {
    const silent = Array.from({ length: 200 }, () => createConnection(join(pml.home, 'daemon.sock')));
    for (const socket of silent) socket.on('error', () => {});
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await assertUnharmed(other);
    for (const socket of silent) socket.destroy();
    await assertUnharmed(other);
  });
});
