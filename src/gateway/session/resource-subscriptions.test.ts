import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Upstream } from '../../upstream/index.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';

/**
 * One server that has every resource but "missing", under a URI of its own. It refuses "locked", and to let go of "kept", and
 * answers for "slow" when it is ready.
 */
function server() {
  const requests: string[] = [];
  const { promise: isReady, resolve: getReady } = Promise.withResolvers<void>();
  const upstream = {
    subscribe: async (uri: string) => {
      if (uri === 'own:slow') await isReady;
      requests.push(`+${uri}`);
      if (uri === 'own:locked') throw new Error('locked');
    },
    unsubscribe: async (uri: string) => {
      requests.push(`-${uri}`);
      if (uri === 'own:kept') throw new Error('kept');
    },
  } as unknown as Upstream;
  const find = (uri: string) => (uri === 'missing' ? undefined : { upstream, uri: `own:${uri}` });
  return { upstream, requests, getReady, subscriptions: new ResourceSubscriptions(find) };
}

test('an update is found under each URI by which the client subscribed', async () => {
  const { upstream, subscriptions } = server();
  await subscriptions.addAll('session', ['a', 'b']);
  await subscriptions.add('stream', 'a');
  assert.deepEqual(subscriptions.subscribedUris(upstream, 'own:a'), ['a']);
  assert.deepEqual(subscriptions.subscribedUris(upstream, 'a'), []);
  assert.deepEqual(subscriptions.subscribedUris({} as Upstream, 'own:a'), []);
});

test('a second subscription of the same subscriber asks the server nothing', async () => {
  const { requests, subscriptions } = server();
  await subscriptions.add('session', 'a');
  await subscriptions.add('session', 'a');
  assert.deepEqual(requests, ['+own:a']);
});

test('one failed subscription does not block the rest, and fails again when it is tried again', async () => {
  const { upstream, subscriptions } = server();
  await assert.rejects(subscriptions.addAll('session', ['locked', 'a']), /locked/);
  assert.deepEqual(subscriptions.subscribedUris(upstream, 'own:a'), ['a']);
  await assert.rejects(subscriptions.add('session', 'locked'), /locked/);
  await assert.rejects(subscriptions.add('session', 'missing'), { code: 'resource_not_found' });
});

test('a subscriber drops some or all of its subscriptions, and close drops all that are left', async () => {
  const { upstream, requests, subscriptions } = server();
  await subscriptions.addAll('session', ['a', 'b', 'c']);
  await subscriptions.add('stream', 'a');
  await subscriptions.drop('session', ['a', 'unknown']);
  assert.deepEqual(subscriptions.subscribedUris(upstream, 'own:a'), ['a'], 'the stream still has it');
  await subscriptions.drop('stream');
  assert.deepEqual(subscriptions.subscribedUris(upstream, 'own:a'), []);
  await subscriptions.close();
  assert.deepEqual(requests.slice(4), ['-own:a', '-own:a', '-own:b', '-own:c']);
});

test('a server that refuses to unsubscribe does not keep the other subscriptions', async () => {
  const { upstream, requests, subscriptions } = server();
  await subscriptions.addAll('session', ['kept', 'a']);
  await assert.rejects(subscriptions.drop('session'), /kept/);
  assert.deepEqual(requests.slice(2), ['-own:kept', '-own:a']);
  assert.deepEqual(subscriptions.subscribedUris(upstream, 'own:a'), []);
});

test('a resource that is dropped before the server has answered is unsubscribed from when it has', async () => {
  const { upstream, requests, getReady, subscriptions } = server();
  const added = subscriptions.add('session', 'slow');
  await subscriptions.drop('session');
  const addedAgain = subscriptions.add('session', 'slow');
  getReady();
  await Promise.all([added, addedAgain]);
  assert.deepEqual(requests, ['+own:slow', '+own:slow', '-own:slow']);
  assert.deepEqual(subscriptions.subscribedUris(upstream, 'own:slow'), ['slow']);
  await subscriptions.close();
  assert.deepEqual(requests.at(-1), '-own:slow');
});
