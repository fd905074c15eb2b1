import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Db, openDb } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { runs } from '../../testing/effort.ts';
import { freshDatabase } from '../../testing/postgres.ts';
import {
  find,
  fork,
  NameCache,
  onChange,
  remember,
  rename,
  resolve,
  restore,
  retire,
  update,
} from '../index.ts';
import { registerServer } from '../servers/index.ts';
import { ana, ben, cyd, dan, failureOf, learned, registryOf, saveCapability } from '../testing.ts';

/** Counts the queries to a database. */
function counting(db: Db) {
  const asked = { count: 0 };
  const query: Db['query'] = (sql, params, how) => {
    asked.count += 1;
    return db.query(sql, params, how);
  };
  const counted: Db = {
    engine: db.engine,
    query,
    notify: (channel, payload) => db.notify(channel, payload),
    transaction: (body) => db.transaction(body),
    listen: (channel, hear, onGap) => db.listen(channel, hear, onGap),
    close: () => db.close(),
  };
  return { db: counted, asked };
}

/** The cached and the stored capability, without the counters, which only the latter has. */
async function both(names: NameCache, db: Db, who: typeof ana, name: string) {
  const stored = await find(db, who, name);
  if (!stored) return [await names.find(who, name), undefined];
  const { usageCount, successCount, totalLatencyMs, ...expected } = stored;
  return [await names.find(who, name), expected];
}

onBothEngines('a repeated lookup is answered from memory, by every spelling', async ({ db, again }) => {
  const counted = counting(db);
  const names = await NameCache.open(counted.db);
  const { fqdn, id } = await saveCapability(db, ana, 'fs:old', 'project');
  await rename(registryOf(db), ana, 'fs:old', { newName: 'fs:new' });
  await heardAll(await again(), db);
  const spellings = [
    'fs:new',
    'fs:old',
    'fs:new@v1',
    'fs:new@latest',
    'mcp__fs__new',
    'acme.web:fs:new',
    fqdn,
    id,
  ];
  for (const name of spellings) assert.equal((await names.resolve(ana, name)).fqdn, fqdn, name);
  counted.asked.count = 0;
  for (const name of spellings) assert.equal((await names.resolve(ana, name)).fqdn, fqdn, name);
  assert.equal(counted.asked.count, 0);
  assert.equal((await names.resolve(ana, 'fs:old')).deprecatedAlias, 'fs:old');
  assert.ok(!('usageCount' in (await names.resolve(ana, 'fs:new'))));
  // An entry of one principal is not used for another.
  await rename(registryOf(db), ana, 'fs:new', { visibility: 'private' });
  await names.resolve(ana, 'fs:new');
  assert.equal(await names.find(ben, 'fs:new'), undefined);
});

onBothEngines('whoever makes a change sees it at once', async ({ db }) => {
  const names = await NameCache.open(db);
  await saveCapability(db, ana, 'fs:read', 'public');
  const same = async (who: typeof ana, name: string) => {
    const [known, stored] = await both(names, db, who, name);
    assert.deepEqual(known, stored, `${who.user} ${name}`);
    return known;
  };
  const look = async () => {
    for (const who of [ana, ben, cyd, dan])
      for (const name of ['fs:read', 'fs:load', 'fs:read@v2', 'fs:copy', 'acme.web:fs:read']) {
        await same(who, name).catch((error) => assert.match(error.message, /Version v2 not found/));
      }
  };
  const acts = [
    () => update(registryOf(db), ana, 'fs:read', { ...learned('aa11'), routing: 'local' }),
    () => rename(registryOf(db), ana, 'fs:read', { newName: 'fs:load' }),
    () => rename(registryOf(db), ana, 'fs:load', { description: 'reads', tags: ['x'], routing: 'cloud' }),
    () => saveCapability(db, cyd, 'fs:read', 'org'),
    () => fork(registryOf(db), dan, 'acme.web:fs:load', 'fs:copy'),
    () => rename(registryOf(db), ana, 'fs:load', { visibility: 'private' }),
    () => retire(registryOf(db), ana, 'fs:load', 30),
    () => restore(registryOf(db), ana, 'fs:load'),
    () => rename(registryOf(db), ana, 'fs:load', { newName: 'fs:read', visibility: 'project' }),
  ];
  for (const act of acts) {
    await look();
    await act();
    await look();
  }
});

onBothEngines('a routing inherited from a server reaches the cache', async ({ db }) => {
  const names = await NameCache.open(db);
  await saveCapability(db, ana, 'fs:read');
  const server = { name: 'fs', codeUrl: null };
  await registerServer(db, ana, { ...server, routing: 'local' });
  assert.equal((await names.resolve(ana, 'fs:read')).routing, 'local');
  await registerServer(db, ana, { ...server, routing: 'cloud' });
  assert.equal((await names.resolve(ana, 'fs:read')).routing, 'cloud');
});

onBothEngines(
  'a name that is not found is looked up each time, and found once it exists',
  async ({ db, again }) => {
    const counted = counting(db);
    const names = await NameCache.open(counted.db);
    assert.equal(await names.find(ana, 'fs:read'), undefined);
    assert.equal(
      await failureOf(names.resolve(ana, 'fs:read')),
      'capability_not_found: Capability not found: fs:read',
    );
    assert.ok(counted.asked.count >= 2);
    assert.equal(names.size, 0);
    await saveCapability(db, ana, 'fs:read');
    await heardAll(await again(), db);
    assert.equal((await names.resolve(ana, 'fs:read')).name, 'fs:read');
    assert.equal(names.size, 1);
  },
);

onBothEngines('a name that becomes ambiguous, or is shadowed elsewhere, leaves the cache', async ({ db }) => {
  const names = await NameCache.open(db);
  await saveCapability(db, ana, 'text:trim', 'public');
  assert.equal((await names.resolve(dan, 'text:trim')).org, 'acme');
  await saveCapability(db, cyd, 'text:trim', 'public');
  assert.match(await failureOf(names.resolve(dan, 'text:trim')), /^ambiguous_name/);
  await saveCapability(db, dan, 'text:trim');
  assert.equal((await names.resolve(dan, 'text:trim')).org, 'elsewhere');
});

onBothEngines('a change in another scope leaves the entries of this one', async ({ db, again }) => {
  const counted = counting(db);
  const names = await NameCache.open(counted.db);
  await saveCapability(db, ana, 'fs:read');
  await heardAll(await again(), db);
  await names.resolve(ana, 'fs:read');
  await saveCapability(db, dan, 'fs:read');
  await heardAll(await again(), db);
  counted.asked.count = 0;
  await names.resolve(ana, 'fs:read');
  assert.equal(counted.asked.count, 0);
});

onBothEngines('a lookup that was in flight during a change is not cached', async ({ db }) => {
  const answered = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  const slow: Db = {
    ...counting(db).db,
    query: async (sql, params, how) => {
      const answer = await db.query(sql, params, how);
      answered.resolve();
      await proceed.promise;
      return answer as never;
    },
  };
  const names = await NameCache.open(slow);
  await saveCapability(db, ana, 'fs:read');
  const early = names.resolve(ana, 'fs:read');
  await answered.promise;
  await rename(registryOf(db), ana, 'fs:read', { description: 'new' });
  proceed.resolve();
  await early;
  assert.equal((await names.resolve(ana, 'fs:read')).description, 'new');
});

onBothEngines('the cache is bounded, by entries and by characters', async ({ db }) => {
  const { fqdn } = await saveCapability(db, ana, 'fs:read');
  const record = await resolve(db, ana, fqdn);
  const row = (code: string) => ({ rows: [{ ...record, code, spelt: 'fs:read' }] as never[], rowCount: 1 });
  const open = (code: string) => NameCache.open({ ...counting(db).db, query: async () => row(code) });
  const many = await open('return 1');
  for (let n = 0; n < 6000; n++) await many.find(ana, `fs:${n}`);
  assert.equal(many.size, 5000);
  const large = await open('x'.repeat(1024 * 1024));
  for (let n = 0; n < 40; n++) await large.find(ana, `fs:${n}`);
  assert.ok(large.size > 5 && large.size < 16, `${large.size}`);
});

/** Two replicas on one PostgreSQL. */
async function replicas(t: { after(act: () => Promise<void>): void }) {
  const databaseUrl = await freshDatabase();
  const open = async () => {
    const db = await openDb({ home: '', databaseUrl });
    t.after(() => db.close());
    return db;
  };
  return [await open(), await open()] as const;
}

/** Settles when that replica has heard every change sent before. */
async function heardAll(sender: Db, hearer: Db): Promise<void> {
  const { promise, resolve: heard } = Promise.withResolvers<void>();
  const stop = await hearer.listen('heard_all', () => heard(), heard);
  await sender.notify('heard_all', '');
  await promise;
  await stop();
}

test("another replica's change is known when the feed has told of it", async (t) => {
  const [here, there] = await replicas(t);
  const names = await NameCache.open(here);
  await saveCapability(here, ana, 'fs:read', 'project');
  await names.resolve(ben, 'fs:read');
  await rename(registryOf(there), ana, 'fs:read', { newName: 'fs:load' });
  await heardAll(there, here);
  assert.equal((await names.resolve(ben, 'fs:read')).name, 'fs:load');
  await rename(registryOf(there), ana, 'fs:load', { visibility: 'private' });
  await heardAll(there, here);
  assert.equal(await names.find(ben, 'fs:read'), undefined);
});

test('a cut feed empties the cache', async (t) => {
  const [here, there] = await replicas(t);
  const names = await NameCache.open(here);
  await saveCapability(here, ana, 'fs:read');
  await names.resolve(ana, 'fs:read');
  const mended = Promise.withResolvers<void>();
  await onChange(here, (change) => change === 'unknown' && mended.resolve());
  await there.query(
    'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await rename(registryOf(there), ana, 'fs:read', { description: 'said while nobody heard' });
  await mended.promise;
  assert.equal((await names.resolve(ana, 'fs:read')).description, 'said while nobody heard');
});

test('whatever two replicas do at once, both caches then agree with the store', async (t) => {
  const [one, other] = await replicas(t);
  const memories = [await NameCache.open(one), await NameCache.open(other)];
  const dbs = [one, other];
  const people = [ana, ben, cyd];
  const NAMES = ['a:x', 'a:y', 'b:z'];
  for (const [index, name] of NAMES.entries()) await saveCapability(one, people[index] ?? ana, name, 'org');
  const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
  const act = fc.record({
    db: pick(dbs),
    memory: pick(memories),
    who: pick(people),
    name: pick([...NAMES, 'acme.web:a:x', 'a:x@v1', 'a:x@v2', 'mcp__a__y', 'c:w']),
    to: pick([...NAMES, 'c:w']),
    kind: pick(['look', 'look', 'look', 'rename', 'show', 'update', 'retire', 'restore', 'create'] as const),
    visibility: pick(['private', 'project', 'org', 'public'] as const),
  });
  let made = 0;
  const perform = async ({
    db,
    memory,
    who,
    name,
    to,
    kind,
    visibility,
  }: typeof act extends fc.Arbitrary<infer A> ? A : never) => {
    made += 1;
    if (kind === 'look') await memory.find(who, name);
    else if (kind === 'rename') await rename(registryOf(db), who, name, { newName: to });
    else if (kind === 'show') await rename(registryOf(db), who, name, { visibility, description: `${made}` });
    else if (kind === 'update')
      await update(registryOf(db), who, name, { ...learned(`${made}`.padStart(8, '0')), routing: 'local' });
    else if (kind === 'retire') await retire(registryOf(db), who, name, 0);
    else if (kind === 'restore') await restore(registryOf(db), who, name);
    else await saveCapability(db, who, to, visibility);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
      // Some acts fail: a name is taken, a stranger may not, a version does not exist.
      await Promise.allSettled(acts.map(perform));
      await heardAll(one, other);
      await heardAll(other, one);
      for (const memory of memories) {
        for (const who of people) {
          for (const name of [...NAMES, 'acme.web:a:x', 'a:x@v1', 'mcp__a__y', 'c:w']) {
            const answer = (asked: Promise<unknown>) => asked.catch((error: Error) => error.message);
            const stored = (await answer(find(one, who, name))) as
              | Record<string, unknown>
              | string
              | undefined;
            const known = await answer(memory.find(who, name));
            if (typeof stored === 'object') {
              for (const counter of ['usageCount', 'successCount', 'totalLatencyMs']) delete stored[counter];
            }
            assert.deepEqual(known, stored);
          }
        }
      }
    }),
    runs(20),
  );
});

onBothEngines('code that is known is found in memory until its capability changes', async ({ db, again }) => {
  const counted = counting(db);
  const names = await NameCache.open(counted.db);
  const { capability } = await remember(registryOf(db), ana, learned('aaaa'));
  await heardAll(await again(), db);
  const find = (who = ana) => names.findCode(who, capability.codeHash);
  assert.equal((await find())?.fqdn, capability.fqdn);
  counted.asked.count = 0;
  const known = await find();
  assert.equal(known?.fqdn, capability.fqdn);
  assert.ok(known && !('usageCount' in known));
  assert.equal(counted.asked.count, 0);

  await rename(registryOf(db), ana, capability.fqdn, { newName: 'zip:find' });
  assert.equal((await find())?.name, 'zip:find');
  assert.equal(await find(cyd), undefined, 'in another scope');
  await rename(registryOf(db), ana, capability.fqdn, { visibility: 'private' });
  assert.equal(await find(ben), undefined);
  await retire(registryOf(db), ana, 'zip:find', 30);
  assert.equal(await find(), undefined);
});
