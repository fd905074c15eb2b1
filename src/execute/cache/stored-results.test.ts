import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keys } from '../../registry/index.ts';
import { registryOf } from '../../registry/testing.ts';
import { openDb } from '../../store/index.ts';
import { freshFolder, onBothEngines, otherProcess } from '../../store/testing.ts';
import { freshDatabase } from '../../testing/postgres.ts';
import type { CacheEntry } from './cached-result.ts';
import { StoredResults } from './stored-results.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000);
const entry = (key: string, seconds = 0, more: Partial<CacheEntry> = {}): CacheEntry => ({
  ...{ key: key.padEnd(64, '0'), org: 'acme', project: 'web', ttlSeconds: 60, readAt: at(seconds) },
  ...more,
});
const result = (value: unknown, bytes = 10) => ({
  value,
  bytes,
  dependencies: [{ spelling: 'fs:read', callee: 'fs:read', state: 'abc', isReadOnly: true }],
});

onBothEngines('a result is found for ttl seconds, and not before it was made', async ({ db }) => {
  const results = new StoredResults(db, registryOf(db).keys);
  const value = { text: 'a\0b \ud800 \u2028 "', list: [null, 1.5, -0] };
  await results.keep(entry('a'), result(value));
  assert.deepEqual(await results.find(entry('a', 59.999)), result({ ...value, list: [null, 1.5, 0] }));
  assert.equal(await results.find(entry('a', 60)), undefined);
  assert.equal(await results.find(entry('a', -0.001)), undefined, 'the clock was set back');
  assert.equal(await results.find(entry('b')), undefined);
  await results.keep(entry('a', 100), result(undefined));
  assert.deepEqual(await results.find(entry('a', 101)), result(undefined));
});

onBothEngines('a row that was changed is not read, whichever column it is', async ({ db }) => {
  const results = new StoredResults(db, registryOf(db).keys);
  const changes = {
    key: `'${'b'.padEnd(64, '0')}'`,
    result: `'{"value":2}'`,
    dependencies: `'[]'::jsonb`,
    bytes: 'bytes + 1',
    made_at: `made_at - interval '1 second'`,
    expires_at: `expires_at + interval '1 day'`,
    signature: `overlay(signature placing 'A' from 40)`,
  };
  for (const [column, value] of Object.entries(changes)) {
    await db.query('delete from cached_results');
    await results.keep(entry('a'), result(1));
    await db.query(`update cached_results set ${column} = ${value}`);
    for (const key of ['a', 'b']) assert.equal(await results.find(entry(key, 1)), undefined, column);
  }
});

onBothEngines('each scope has its bounds, and the least recently used go first', async ({ db }) => {
  const keys = registryOf(db).keys;
  const results = () => new StoredResults(db, keys, { entries: 3, bytes: 1000 });
  const ttl = { ttlSeconds: 2_000_000_000 };
  const other = { ...ttl, project: 'other' };
  const one = results();
  for (const [key, seconds] of [
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ] as const)
    await one.keep(entry(key, seconds, ttl), result(key));
  await one.keep(entry('d', 0, other), result('d'));
  assert.equal((await one.find(entry('a', 10, ttl)))?.value, 'a');
  // A new process sweeps at its first write.
  await results().keep(entry('e', 11, ttl), result('e'));
  const left = async () => {
    const { rows } = await db.query<{ key: string }>(
      'select left(key, 1) as key from cached_results order by key',
    );
    return rows.map(({ key }) => key).join('');
  };
  assert.equal(await left(), 'acde');
  await results().keep(entry('f', 12, ttl), result('f', 995));
  assert.equal(await left(), 'df', 'by bytes');
  await db.query(`update cached_results set expires_at = made_at where project = 'other'`);
  await results().keep(entry('g', 13, ttl), result('g', 1));
  assert.equal(await left(), 'fg', 'what has expired goes');
});

onBothEngines(
  'replicas on one PostgreSQL share results; a key that is not known is not believed',
  async (store) => {
    const { db, again, t } = store;
    const there = await again();
    const here = new StoredResults(db, await Keys.open(freshFolder(t), db));
    const other = new StoredResults(there, await Keys.open(freshFolder(t), there));
    await here.keep(entry('a'), result('shared'));
    const found = await other.find(entry('a', 1));
    assert.equal(found?.value, db.engine === 'pglite' ? undefined : 'shared');
  },
);

const STORED_RESULTS = JSON.stringify(new URL('./stored-results.ts', import.meta.url).href);
const REGISTRY = JSON.stringify(new URL('../../registry/index.ts', import.meta.url).href);

for (const engine of ['PGlite', 'PostgreSQL']) {
  test(`a process that is killed in the middle of a write leaves no part of a result (${engine})`, async (t) => {
    const home = freshFolder(t);
    const databaseUrl = engine === 'PostgreSQL' ? await freshDatabase() : undefined;
    const options = { home, ...(databaseUrl && { databaseUrl }) };
    const dying = otherProcess(
      t,
      `const { StoredResults } = await import(${STORED_RESULTS});
       const { Keys } = await import(${REGISTRY});
       const db = await openDb(${JSON.stringify(options)});
       const keys = await Keys.open(${JSON.stringify(home)}, db);
       const entry = { ...${JSON.stringify(entry('b'))}, readAt: new Date(${START}) };
       await new StoredResults(db, keys).keep({ ...entry, key: entry.key.replace('b', 'a') }, ${JSON.stringify(result('whole'))});
       await db.transaction(async (tx) => {
         await new StoredResults(tx, keys).keep(entry, ${JSON.stringify(result('half'))});
         console.log('in the middle');
         await new Promise((resolve) => setTimeout(resolve, 600_000));
       });`,
    );
    assert.equal(await dying.line(), 'in the middle');
    await dying.kill();
    const db = await openDb(options);
    try {
      const results = new StoredResults(db, await Keys.open(home, db));
      assert.equal((await results.find(entry('a', 1)))?.value, 'whole');
      assert.equal(await results.find(entry('b', 1)), undefined);
      await results.keep(entry('b'), result('anew'));
      assert.equal((await results.find(entry('b', 1)))?.value, 'anew');
    } finally {
      await db.close();
    }
  });
}
