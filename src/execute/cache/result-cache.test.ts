import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PmlError } from '../../errors.ts';
import { openLog } from '../../log.ts';
import { PausableDeadline } from '../../pausable-deadline.ts';
import { registryOf } from '../../registry/testing.ts';
import type { Db } from '../../store/index.ts';
import type { DependencyLog } from './dependency-log.ts';
import { type CacheableCall, ResultCache } from './result-cache.ts';

const log = openLog({ level: 'error', print: () => {} });
const NO_DB = { engine: 'pglite' } as Db;
const newCache = () => new ResultCache({ db: NO_DB, keys: registryOf(NO_DB).keys, log });

/** A call that ends when the test says so. */
function newCall(more: Partial<CacheableCall> = {}) {
  const end = Promise.withResolvers<unknown>();
  const started = Promise.withResolvers<void>();
  const seen = { runs: 0 };
  const call: CacheableCall = {
    ...{ key: 'k', policy: 'memoize', isForced: false, org: 'acme', project: 'web', ttlSeconds: 60 },
    ...{ readAt: new Date(), depth: 0, deadline: new PausableDeadline(60_000), outer: undefined },
    run: async () => {
      seen.runs += 1;
      started.resolve();
      return { value: await end.promise, bytes: 1 };
    },
    holds: async () => true,
    holdsSecret: () => false,
    ...more,
  };
  return { call, end, seen, started: started.promise };
}

test('a leader that is cancelled or reaches its limits fails alone, and one of the others goes on', async () => {
  for (const code of ['cancelled', 'code_timeout', 'code_limit'] as const) {
    const cache = newCache();
    const [first, second, third] = [newCall(), newCall(), newCall()] as const;
    const led = assert.rejects(cache.answer(first.call), { code });
    await first.started;
    const others = [cache.answer(second.call), cache.answer(third.call)];
    first.end.reject(new PmlError(code, 'over'));
    await led;
    await second.started;
    second.end.resolve('done');
    assert.deepEqual(
      (await Promise.all(others)).map(({ value, isCached }) => [value, isCached]),
      [
        ['done', false],
        ['done', true],
      ],
    );
    assert.equal(third.seen.runs, 0);
    assert.equal((await cache.answer(third.call)).isCached, true);
  }
});

test('a failure of the code is shared with those who waited, and not kept', async () => {
  const cache = newCache();
  const [first, second, third] = [newCall(), newCall(), newCall()] as const;
  const failed = [cache.answer(first.call), cache.answer(second.call)].map((one) =>
    assert.rejects(one, { code: 'code_exception' }),
  );
  await first.started;
  first.end.reject(new PmlError('code_exception', 'broken'));
  await Promise.all(failed);
  assert.equal(second.seen.runs, 0);
  third.end.resolve('well');
  assert.deepEqual(await cache.answer(third.call), { value: 'well', bytes: 1, isCached: false });
});

test('what a run saw of its own caller is shared with nobody', async () => {
  const writes = { spelling: 'a:write', callee: 'a:write', state: '1', isReadOnly: false };
  const acts: ((log: DependencyLog) => void)[] = [(log) => log.markUncacheable(), (log) => log.note(writes)];
  for (const act of acts) {
    const cache = newCache();
    const end = Promise.withResolvers<void>();
    let runs = 0;
    const run: CacheableCall['run'] = async (log) => {
      act(log);
      await end.promise;
      runs += 1;
      return { value: runs, bytes: 1 };
    };
    const answers = [1, 2, 3].map(() => cache.answer(newCall({ run }).call));
    end.resolve();
    assert.deepEqual((await Promise.all(answers)).map(({ value }) => value).sort(), [1, 2, 3]);
    assert.equal((await cache.answer(newCall({ run }).call)).value, 4);
  }
});

test('a forced call is cached whatever it calls', async () => {
  const cache = newCache();
  const run: CacheableCall['run'] = async (log) => {
    log.note({ spelling: 'a:write', callee: 'a:write', state: '1', isReadOnly: false });
    return { value: 1, bytes: 1 };
  };
  await cache.answer(newCall({ run, isForced: true }).call);
  assert.equal((await cache.answer(newCall({ isForced: true }).call)).isCached, true);
});

test('a nested call never waits for a run further out, which may hold the sandbox it needs', async () => {
  const cache = newCache();
  const [outer, nested, deeper] = [newCall(), newCall({ depth: 1 }), newCall({ depth: 2 })] as const;
  const led = cache.answer(outer.call);
  await outer.started;
  const own = cache.answer(nested.call);
  await nested.started;
  // The outermost may wait for the nested run, and so may its equals, but no deeper one.
  const waiting = [cache.answer(newCall().call), cache.answer(newCall({ depth: 1 }).call)];
  const alone = cache.answer(deeper.call);
  await deeper.started;
  for (const { end } of [deeper, nested, outer]) end.resolve('done');
  assert.deepEqual(
    (await Promise.all([led, own, alone, ...waiting])).map(({ isCached }) => isCached),
    [false, false, false, true, true],
  );
});

test('the deadline and the signal of a waiter are its own', async () => {
  const cache = newCache();
  const leader = newCall();
  const led = cache.answer(leader.call);
  await leader.started;
  const stop = new AbortController();
  const cancelled = cache.answer(newCall({ signal: stop.signal }).call);
  const late = cache.answer(newCall({ deadline: new PausableDeadline(20) }).call);
  stop.abort();
  await assert.rejects(cancelled, { code: 'cancelled' });
  await assert.rejects(late, { code: 'code_timeout' });
  await assert.rejects(cache.answer(newCall({ signal: AbortSignal.abort() }).call), { code: 'cancelled' });
  leader.end.resolve('done');
  assert.equal((await led).value, 'done');
});

test('a waiter whose own tools differ runs by itself', async () => {
  const cache = newCache();
  const [leader, other] = [newCall(), newCall({ holds: async () => false })] as const;
  const answers = [cache.answer(leader.call), cache.answer(other.call)];
  await leader.started;
  leader.end.resolve('his');
  other.end.resolve('hers');
  assert.deepEqual(
    (await Promise.all(answers)).map(({ value }) => value),
    ['his', 'hers'],
  );
});

test('a store that fails costs a run, not the answer', async () => {
  const cache = newCache();
  for (const value of [1, 2]) {
    const { call, end } = newCall({ policy: 'persistent' });
    end.resolve(value);
    assert.deepEqual(await cache.answer(call), { value, bytes: 1, isCached: false });
  }
});
