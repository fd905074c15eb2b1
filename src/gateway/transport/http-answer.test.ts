import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { HttpAnswer } from './http-answer.ts';
import { HttpCalls } from './http-calls.ts';

/** Opens a real response whose client reads only when it is told to. */
async function openResponse(t: TestContext) {
  const server = createServer();
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause().on('error', () => {});
  t.after(() => client.destroy());
  client.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { client, response };
}

test('a client that does not read its messages is cut off before they pile up', async (t) => {
  const { response } = await openResponse(t);
  const answer = new HttpAnswer(response, { era: 'legacy', streamOnly: false, maxUnread: 1024 * 1024 });
  const message = { text: 'x'.repeat(64 * 1024) };
  let sent = 0;
  while (!response.destroyed && sent < 200) {
    answer.send(message);
    sent += 1;
  }
  assert.ok(response.destroyed);
  assert.ok(sent < 40, `${sent} messages of 64 KB`);
  // Nothing more is written, and nothing throws.
  answer.send(message);
  answer.answer({ result: {} }, undefined);
  answer.abandon();
});

test('a call that takes long becomes a stream with comments, so that nobody takes it for dead', async (t) => {
  const { client, response } = await openResponse(t);
  const calls = new HttpCalls(20);
  t.after(() => calls.close());
  const call = {
    era: 'modern',
    id: 1,
    progressToken: undefined,
    params: { name: 'a' },
    envelope: {},
  } as const;
  calls.open(call, { server: undefined } as never, {
    era: 'modern',
    streamOnly: false,
    response,
    onEnd: () => {},
  });
  let text = '';
  client.setEncoding('utf8').resume();
  while (!text.includes(': keepalive')) text += (await once(client, 'data'))[0];
  assert.match(text, /content-type: text\/event-stream/i);
});
