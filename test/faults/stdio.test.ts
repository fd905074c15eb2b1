import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { within } from '../../src/testing/wait.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';
import { assertUnharmed, PROMPTLY_MS, residentMb } from './bystander.ts';

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const pml = new Pml(
  { after },
  {
    mcpServers: {
      good: fixtureServer('hostile-stdio.ts'),
      slow: { ...fixtureServer('hostile-stdio.ts'), pml: { timeoutMs: 60_000 } },
    },
  },
);
let other: Client;
before(async () => {
  await onUsualEngine(pml);
  other = await pml.stdio();
});

const MALFORMED: [string, string, number, RegExp][] = [
  ['a line that is not JSON', 'hello there', -32700, /not JSON/],
  ['half a JSON object', '{"jsonrpc": "2.0", "id": 7', -32700, /not JSON/],
  ['the wrong jsonrpc version', '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, /not a JSON-RPC 2\.0/],
  ['no jsonrpc version', '{"id":7,"method":"ping"}', -32600, /not a JSON-RPC 2\.0/],
  ['a batch', '[{"jsonrpc":"2.0","id":7,"method":"ping"}]', -32600, /batch/],
  ['an empty batch', '[]', -32600, /batch/],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, /not a JSON-RPC 2\.0/],
  ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, /not a JSON-RPC 2\.0/],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, /not a JSON-RPC 2\.0/],
  ['no method', '{"jsonrpc":"2.0","id":7}', -32600, /not a JSON-RPC 2\.0/],
  ['a method that is a number', '{"jsonrpc":"2.0","id":7,"method":7}', -32600, /not a JSON-RPC 2\.0/],
  ['a bare word', '"ping"', -32600, /not a JSON-RPC 2\.0/],
  ['null', 'null', -32600, /not a JSON-RPC 2\.0/],
];

test('each malformed line is refused with its reason, and the session goes on', async () => {
  const session = await new RawSession(pml).initialize();
  for (const [what, line, code, words] of MALFORMED) {
    session.write(`${line}\n`);
    const refusal = await session.receive(({ error }) => error !== undefined, `the refusal of ${what}`);
    assert.equal(refusal.error?.code, code, what);
    assert.match(refusal.error?.message ?? '', words, what);
    assert.equal(textOf(await session.call('good:echo', { text: what })), what);
  }
  await assertUnharmed(other);
});

test('malformed lines before the handshake do not break it', async () => {
  const session = new RawSession(pml);
  session.write('not JSON\n[]\n');
  await session.receive(({ error }) => error?.code === -32700);
  await session.receive(({ error }) => error?.code === -32600);
  await session.initialize();
  assert.equal(textOf(await session.call('good:echo', { text: 'still' })), 'still');
});

test('a malformed request is refused under its own id', async () => {
  const session = await new RawSession(pml).initialize();
  const forms: object[] = [
    { params: [1, 2] },
    { params: 'text' },
    { params: { name: 'good:echo', _meta: 'text' } },
    { params: { name: 'good:echo', _meta: { progressToken: {} } } },
    { jsonrpc: '1.0' },
    { id: 1.5 },
  ];
  for (const [at, form] of forms.entries()) {
    const request = { jsonrpc: '2.0', id: `form ${at}`, method: 'tools/call', ...form };
    session.send(request);
    const { error } = await session.answerTo(request.id);
    assert.equal(error?.code, -32600, JSON.stringify(form));
    assert.match(error?.message ?? '', /not a JSON-RPC 2\.0 message, or its params are not an object/);
  }
  const nameless = await session.request('tools/call', { arguments: {} });
  assert.equal(nameless.error?.code, -32602);
  assert.match(nameless.error?.message ?? '', /"name" must be a string/);
  await assertUnharmed(other);
});

test('an unknown method is named in its refusal', async () => {
  const session = await new RawSession(pml).initialize();
  const { error } = await session.request('tools/explode');
  assert.equal(error?.code, -32601);
  assert.match(error?.message ?? '', /Method not found/);
  const unknown = await session.call('good:ecco');
  assert.match(textOf(unknown), /Unknown tool: good:ecco\. Did you mean "mcp__good__echo"\?/);
  session.send({ jsonrpc: '2.0', method: 'notifications/nonsense', params: {} });
  session.send({ jsonrpc: '2.0', id: 12345, result: {} });
  assert.equal(textOf(await session.call('good:echo', { text: 'fine' })), 'fine');
});

test('a message over 16 MiB is refused for its size, and the next one is answered', async () => {
  const session = await new RawSession(pml).initialize();
  const fits = await session.call('good:echo', { text: 'z'.repeat(MAX_MESSAGE_BYTES - 1000) });
  // The message arrived, and its echo is refused, because most clients would close the connection at such a line.
  assert.match(textOf(fits), /^This message has 1677\d{4} bytes, and clients on stdio take at most 10223616/);
  session.begin('tools/call', { name: 'good:echo', arguments: { text: 'z'.repeat(MAX_MESSAGE_BYTES) } });
  const refusal = await session.receive(({ error }) => error !== undefined, 'the refusal');
  assert.equal(refusal.error?.code, -32600);
  assert.match(refusal.error?.message ?? '', /Message too large: the limit is 16777216 bytes/);
  assert.equal(textOf(await session.call('good:echo', { text: 'next' })), 'next');
  await assertUnharmed(other);
});

test('half a line before the end of input ends the session cleanly and silently', async () => {
  const session = await new RawSession(pml).initialize();
  session.child.stdin.end('{"jsonrpc":"2.0","id":99,"meth');
  const { code, stderr, messages } = await within(session.ended, 60_000, 'the end of pml serve');
  assert.equal(code, 0);
  assert.equal(stderr, '');
  assert.deepEqual(messages, []);
  await assertUnharmed(other);
});

test('a client that never reads its answers neither fills the memory nor delays others', async () => {
  const { pid } = await pml.status();
  const deaf = await new RawSession(pml).initialize();
  const before = residentMb(pid);
  deaf.child.stdout.pause();
  for (let burst = 0; burst < 15; burst++) {
    for (let i = 0; i < 20; i++) {
      deaf.begin('tools/call', { name: 'good:big', arguments: { bytes: 1024 * 1024 } });
    }
    // The server answers in turn, so this answer comes after those to all calls that PML has relayed to it.
    await assertUnharmed(other);
  }
  const grown = residentMb(pid) - before;
  assert.ok(grown < 150, `the daemon grew by ${grown} MB over 300 MB of answers that nobody read`);
  deaf.child.kill('SIGKILL');
  await deaf.ended;
  await assertUnharmed(other);
});

test('the death of a client cancels its call', async () => {
  const session = await new RawSession(pml).initialize();
  session.begin('tools/call', { name: 'slow:hang' });
  await other.callTool({ name: 'slow:await_hanging' });
  session.child.kill('SIGKILL');
  const told = other.callTool({ name: 'slow:await_cancelled' });
  await within(told, PROMPTLY_MS, 'the cancellation at the server');
  await assertUnharmed(other);
});
