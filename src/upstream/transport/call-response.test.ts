import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dispatcher } from 'undici';
import { dripBytes } from '../../testing/drip-bytes.ts';
import { CallResponse } from './call-response.ts';

const CONTROLLER = {
  abort: () => {},
  pause: () => {},
  resume: () => {},
} as never as Dispatcher.DispatchController;

/** Begins a response of this type, and records who gets it. */
function begin(type: string) {
  const bodies: string[] = [];
  const events: string[] = [];
  const others: Response[] = [];
  const response = new CallResponse({
    body: { add: () => {}, release: () => {} },
    signal: undefined,
    onBody: (text) => bodies.push(text),
    onEvent: (text) => events.push(text) > 0,
    onOther: (other) => others.push(other),
    onError: (error) => assert.fail(String(error)),
  });
  response.onResponseStart(CONTROLLER, 200, { 'content-type': type });
  const receive = (chunk: Buffer) => response.onResponseData(CONTROLLER, chunk);
  return { bodies, events, others, receive, end: () => response.onResponseEnd(CONTROLLER) };
}

test('a body that comes byte by byte does not keep a Buffer for each', () => {
  const { bodies, receive, end } = begin('application/json');
  const text = JSON.stringify({ note: 'the quick brown fox jumps over the lazy dog' });
  dripBytes(text, receive);
  end();
  assert.deepEqual(bodies, [text]);
});

test('a stream that comes byte by byte does not keep a Buffer for each', async () => {
  const { others, receive, end } = begin('text/event-stream');
  const text = 'data: {"note":"the quick brown fox jumps over the lazy dog"}\n\n';
  dripBytes(text, receive);
  end();
  assert.equal(await others[0]?.text(), text);
});

test('events that come together with the answer reach the SDK with it', async () => {
  const { events, others, receive, end } = begin('text/event-stream');
  const text = 'data: {"answer":1}\n\ndata: {"method":"notifications/tools/list_changed"}\n\n';
  receive(Buffer.from(text));
  end();
  assert.deepEqual(events, []);
  assert.equal(await others[0]?.text(), text);
});
