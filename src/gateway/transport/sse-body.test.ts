import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchBody } from './sse-body.ts';

/** A response that the test writes, and what became of it. */
function written(maxUnread?: number) {
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

test('a body arrives whole, and its end is told', async () => {
  const { controller, ended, response } = written();
  for (const text of ['a', 'b', 'c']) controller.enqueue(Buffer.from(text));
  controller.close();
  assert.equal(await response.text(), 'abc');
  await ended.promise;
});

test('a client that leaves ends the source, once', async () => {
  const { controller, cancelled, ended, response } = written();
  controller.enqueue(Buffer.from('a'));
  await response.body?.cancel();
  await Promise.all([cancelled.promise, ended.promise]);
});

test('a client that does not read is given up when too much waits for it', async () => {
  const { controller, cancelled, ended, response } = written(1000);
  const reader = response.body?.getReader();
  for (let i = 0; i < 10; i++) controller.enqueue(Buffer.alloc(90));
  assert.equal((await reader?.read())?.value?.length, 90);
  for (let i = 0; i < 5; i++) controller.enqueue(Buffer.alloc(90));
  await Promise.all([cancelled.promise, ended.promise]);
  await assert.rejects(async () => reader?.read(), /does not read/);
});

test('a source that fails fails for the client', async () => {
  const { controller, ended, response } = written();
  controller.error(new Error('broken'));
  await assert.rejects(response.text(), /broken/);
  await ended.promise;
});
