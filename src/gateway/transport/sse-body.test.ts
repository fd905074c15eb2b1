import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchBody } from './sse-body.ts';

/** A watched response whose body the test writes. */
function watchedResponse(maxUnread?: number) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const cancelled = Promise.withResolvers<void>();
  const source = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => cancelled.resolve(),
  });
  const ended = Promise.withResolvers<void>();
  const response = watchBody(new Response(source), ended.resolve, maxUnread);
  return { controller: controller as NonNullable<typeof controller>, cancelled, ended, response };
}

test('a body arrives whole, and its end is reported', async () => {
  const { controller, ended, response } = watchedResponse();
  for (const text of ['a', 'b', 'c']) controller.enqueue(Buffer.from(text));
  controller.close();
  assert.equal(await response.text(), 'abc');
  await ended.promise;
});

test('a client that leaves ends the source, once', async () => {
  const { controller, cancelled, ended, response } = watchedResponse();
  controller.enqueue(Buffer.from('a'));
  await response.body?.cancel();
  await Promise.all([cancelled.promise, ended.promise]);
});

test('a client that does not read is cut off when too much waits for it', async () => {
  const { controller, cancelled, ended, response } = watchedResponse(1000);
  const reader = response.body?.getReader();
  for (let i = 0; i < 10; i++) controller.enqueue(Buffer.alloc(90));
  assert.equal((await reader?.read())?.value?.length, 90);
  for (let i = 0; i < 5; i++) controller.enqueue(Buffer.alloc(90));
  await Promise.all([cancelled.promise, ended.promise]);
  await assert.rejects(async () => reader?.read(), /does not read/);
});

test('an error of the source reaches the client', async () => {
  const { controller, ended, response } = watchedResponse();
  controller.error(new Error('broken'));
  await assert.rejects(response.text(), /broken/);
  await ended.promise;
});
