import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { HttpAnswer } from './http-answer.ts';
import { HttpCalls } from './http-calls.ts';

/** Opens real responses on one connection whose client reads only when it is told to. */
async function openResponses(t: TestContext, count: number) {
  const responses: ServerResponse[] = [];
  const allOpen = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    if (responses.push(response) === count) allOpen.resolve();
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause().on('error', () => {});
  t.after(() => client.destroy());
  client.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n'.repeat(count));
  await allOpen.promise;
  return { client, responses };
}

async function openResponse(t: TestContext) {
  const { client, responses } = await openResponses(t, 1);
  return { client, response: responses[0] as ServerResponse };
}

test('a client that does not read its messages is cut off before they pile up', async (t) => {
  const { response } = await openResponse(t);
  const answer = new HttpAnswer(response, { era: 'legacy', streamOnly: false, maxUnread: 1024 * 1024 });
  const message = { text: 'x'.repeat(64 * 1024) };
  let sent = 0;
  while (!response.req.socket.destroyed && sent < 200) {
    answer.send(message);
    sent += 1;
  }
  assert.ok(response.req.socket.destroyed);
  assert.ok(sent < 40, `${sent} messages of 64 KB`);
  // Nothing more is written, and nothing throws.
  answer.send(message);
  answer.answer({ result: {} }, undefined);
  answer.abandon();
});

test('a client that pipelines calls and does not read their answers is cut off before they pile up', async (t) => {
  const { responses } = await openResponses(t, 100);
  const closed = Promise.all(responses.map((response) => once(response, 'close')));
  // The first one is not answered, so that nothing of the others can be sent.
  for (const [at, response] of responses.slice(1).entries()) {
    const answer = new HttpAnswer(response, {
      era: 'legacy',
      streamOnly: at % 2 === 0,
      maxUnread: 1024 * 1024,
    });
    if (at % 3 === 0) answer.send({ text: 'x'.repeat(32 * 1024) });
    answer.answer({ text: 'x'.repeat(32 * 1024) }, undefined);
  }
  const ended = responses.filter((response) => response.writableEnded).length;
  assert.ok(ended > 20 && ended < 32, `${ended} answers`);
  await closed;
});

test('a client that reads is not cut off, however long an answer is and however many it has read', async (t) => {
  const { client, responses } = await openResponses(t, 21);
  const length = 512 * 1024;
  const options = { era: 'legacy', streamOnly: false, maxUnread: 1024 * 1024 } as const;
  const answer = (response: ServerResponse, text: string) =>
    new HttpAnswer(response, options).answer({ text }, undefined);
  const [first, ...others] = responses as [ServerResponse, ...ServerResponse[]];
  answer(first, 'x'.repeat(20 * length));
  client.resume();
  await once(first, 'close');
  for (let at = 0; at < others.length; at += 2) {
    const [next, behind] = others.slice(at, at + 2) as [ServerResponse, ServerResponse];
    answer(behind, 'x'.repeat(length));
    answer(next, 'x'.repeat(length));
    await once(behind, 'close');
  }
  assert.ok(responses.every((response) => response.writableFinished));
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
