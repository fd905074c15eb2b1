import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../log.ts';
import type { ConnectedClient } from './connect.ts';
import { Subscriptions } from './subscriptions.ts';

/** A legacy server that answers each request when the test says so. */
function server() {
  const requests: { method: string; answer: PromiseWithResolvers<unknown> }[] = [];
  const client = {
    request: ({ method }: { method: string }) => {
      const answer = Promise.withResolvers<unknown>();
      requests.push({ method, answer });
      return answer.promise;
    },
  };
  const subscriptions = new Subscriptions({} as Log, () => {});
  return { requests, subscriptions, connected: { client, era: 'legacy' } as unknown as ConnectedClient };
}

test('sessions that want one resource get the answer to the first request, and the last one ends it', async () => {
  const { requests, subscriptions, connected } = server();
  const both = [subscriptions.add('a:', connected), subscriptions.add('a:', connected)];
  requests[0]?.answer.resolve({});
  await Promise.all(both);
  await subscriptions.remove('a:', connected);
  assert.equal(requests.length, 1);
  void subscriptions.remove('a:', connected);
  assert.deepEqual(
    requests.map(({ method }) => method),
    ['resources/subscribe', 'resources/unsubscribe'],
  );
});

test('a refused subscription is refused to all who wait for it, and asked for anew', async () => {
  const { requests, subscriptions, connected } = server();
  const both = [subscriptions.add('a:', connected), subscriptions.add('a:', connected)];
  requests[0]?.answer.reject(new Error('refused'));
  for (const one of await Promise.allSettled(both)) assert.equal(one.status, 'rejected');
  void subscriptions.add('a:', connected);
  assert.equal(requests.length, 2);
});
