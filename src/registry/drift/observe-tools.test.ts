import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../json.ts';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import type { Dependency } from '../caching/index.ts';
import { fork, onChange, query, remember, rename, resolve, update } from '../index.ts';
import { fitsTools, observeTools } from '../servers/index.ts';
import { ana, cyd, learned, registryOf } from '../testing.ts';
import { staleReason } from './dependencies.ts';

const text = { type: 'string' };
const READ = { type: 'object', properties: { path: text }, required: ['path'] };
const OTHER = { type: 'object', properties: { file: text }, required: ['file'] };
const path: JsonSchema = {
  type: 'object',
  properties: { path: text },
  required: ['path'],
  additionalProperties: false,
};
const reads: Dependency = { callee: 'fs:read', schema: READ, passed: [path] };
const calls = (callee: string): Dependency => ({ callee, passed: [] });
const WHY = 'tool "fs:read" now needs "file"';
const THROUGH = `through a capability that it calls: ${WHY}`;

const offer = (db: Db, schema: object | undefined, who = ana) =>
  observeTools(db, who, 'fs', [
    ...(schema ? [{ name: 'read', schema }] : []),
    { name: 'list', schema: { type: 'object' } },
  ]);
const keepUsing = async (db: Db, name: string, ...dependencies: Dependency[]) =>
  (await remember(registryOf(db), ana, learned(Buffer.from(name).toString('hex'), { name, dependencies })))
    .capability;
const staleOf = async (db: Db, name: string, who = ana) => (await resolve(db, who, name)).stale;

onBothEngines(
  'a changed tool makes its callers stale, and their callers, until it fits again',
  async ({ db }) => {
    assert.equal(await offer(db, READ), 0);
    const inner = await keepUsing(db, 'my:read', reads);
    await keepUsing(db, 'my:two', calls(inner.fqdn));
    await keepUsing(db, 'my:three', calls((await resolve(db, ana, 'my:two')).fqdn));
    await keepUsing(db, 'my:list', { callee: 'fs:list', schema: { type: 'object' }, passed: [path] });
    assert.equal(await offer(db, READ), 0);
    assert.equal(await offer(db, OTHER), 3);
    assert.equal(await staleOf(db, 'my:read'), WHY);
    assert.equal(await staleOf(db, 'my:two'), THROUGH);
    assert.equal(await staleOf(db, 'my:three'), THROUGH);
    assert.equal(await staleOf(db, 'my:list'), null);
    const { capabilities } = await query(db, ana, { sort_by: 'name' });
    assert.deepEqual(
      capabilities.map(({ name, stale }) => [name, stale]),
      [
        ['my:list', undefined],
        ['my:read', WHY],
        ['my:three', THROUGH],
        ['my:two', THROUGH],
      ],
    );
    const { fqdn, version } = await resolve(db, ana, 'my:three');
    const judged: string[] = [];
    const fits = (schema: JsonSchema | undefined) =>
      fitsTools(db, { fqdn, version }, (tool) => {
        judged.push(tool);
        return schema;
      });
    assert.deepEqual([await fits(READ), await fits(OTHER), await fits(undefined)], [true, false, false]);
    assert.deepEqual([...new Set(judged)], ['fs:read']);
    assert.equal(await offer(db, undefined), 3);
    assert.equal(await staleOf(db, 'my:read'), 'tool "fs:read" is gone');
    assert.equal(await offer(db, READ), 3);
    for (const name of ['my:read', 'my:two', 'my:three']) assert.equal(await staleOf(db, name), null, name);
  },
);

onBothEngines('another scope, another server and other descriptions change nothing', async ({ db }) => {
  await offer(db, READ);
  await keepUsing(db, 'my:read', reads);
  assert.equal(await offer(db, OTHER, cyd), 0);
  assert.equal(await observeTools(db, ana, 'other', []), 0);
  assert.equal(await offer(db, { ...READ, description: 'reads' }), 0);
  assert.equal(await staleOf(db, 'my:read'), null);
});

onBothEngines('new code is judged again, and with it all its callers', async ({ db }) => {
  await offer(db, READ);
  const inner = await keepUsing(db, 'my:read', reads);
  await keepUsing(db, 'my:two', calls(inner.fqdn));
  await offer(db, OTHER);
  const next = { ...learned('fe'), routing: 'local' as const };
  const file: JsonSchema = { type: 'object', properties: { file: text }, required: ['file'] };
  const updated = await update(registryOf(db), ana, 'my:read', {
    ...next,
    dependencies: [{ callee: 'fs:read', schema: OTHER, passed: [file] }],
  });
  assert.equal(updated.stale, null);
  assert.equal(await staleOf(db, 'my:two'), null);
  // The first version is still stale, and says so.
  assert.equal(await staleOf(db, 'my:read@v1'), WHY);
  assert.equal(await staleOf(db, 'my:read@v2'), null);
  await offer(db, READ);
  assert.equal(await staleOf(db, 'my:read@v1'), null);
  assert.equal(await staleOf(db, 'my:read@v2'), 'tool "fs:read" now needs "path"');
  assert.equal(
    await staleOf(db, 'my:two'),
    'through a capability that it calls: tool "fs:read" now needs "path"',
  );
  // Back to code that fits the tool again.
  await update(registryOf(db), ana, 'my:read', { ...next, dependencies: [reads] });
  assert.equal(await staleOf(db, 'my:read'), null);
  assert.equal(await staleOf(db, 'my:two'), null);
});

onBothEngines('code saved with an outdated schema is stale from the start', async ({ db }) => {
  await offer(db, OTHER);
  const kept = await keepUsing(db, 'my:read', reads);
  assert.equal(kept.stale, WHY);
  assert.equal((await keepUsing(db, 'my:two', calls(kept.fqdn))).stale, THROUGH);
  assert.equal((await fork(registryOf(db), ana, 'my:read', 'my:copy')).stale, WHY);
  // A scope that has never seen the server has nothing to judge by.
  for (const name of ['my:read', 'my:two', 'my:copy'])
    await rename(registryOf(db), ana, name, { visibility: 'public' });
  assert.equal((await fork(registryOf(db), cyd, 'acme.web:my:read', 'my:copy')).stale, null);
  await offer(db, READ);
  for (const name of ['my:read', 'my:two', 'my:copy']) assert.equal(await staleOf(db, name), null, name);
});

onBothEngines('a change is announced once, and none if there is none', async ({ db, again }) => {
  const heard: unknown[] = [];
  const other = await again();
  await offer(db, READ);
  await keepUsing(db, 'my:read', reads);
  await keepUsing(db, 'my:again', reads);
  const { promise, resolve: done } = Promise.withResolvers<void>();
  // Another process: this one may hear its own changes twice.
  const stop = await onChange(other, (change) => {
    if (change !== 'unknown' && change.what === 'retired') done();
    else heard.push(change);
  });
  await offer(db, OTHER);
  await offer(db, OTHER);
  await offer(db, { ...OTHER, title: 'read' });
  await db.query('select pg_notify($1, $2)', ['pml_capabilities', JSON.stringify({ what: 'retired' })]);
  await promise;
  assert.deepEqual(heard, [{ org: 'acme', project: 'web', what: 'drifted', only: 'ana' }]);
  await stop();
});

onBothEngines('a server that never stops changing does not fill the store', async ({ db }) => {
  await offer(db, READ);
  await keepUsing(db, 'my:read', reads);
  for (let turn = 0; turn < 20; turn++) await offer(db, { ...OTHER, required: [`file${turn}`] });
  const { rows } = await db.query<{ count: number }>('select count(*) as count from tool_schemas');
  // The schema the capability was written for, the tool's present one, and that of the other tool.
  assert.equal(rows[0]?.count, 3);
});

onBothEngines(
  'servers that change at once, during saves, leave the same as one after the other',
  async ({ again }) => {
    const [one, two] = [await again(), await again()];
    await offer(one, READ);
    const tools = (schema: object) => [{ name: 'read', schema }];
    await observeTools(one, ana, 'db', tools(READ));
    const both: Dependency[] = [reads, { ...reads, callee: 'db:read' }];
    const kept = await keepUsing(one, 'my:both', ...both);
    for (let turn = 0; turn < 25; turn++) {
      const schema = turn % 2 === 0 ? OTHER : READ;
      const name = `my:turn${turn}`;
      await Promise.all([
        offer(one, schema),
        offer(two, schema),
        observeTools(two, ana, 'db', tools(schema)),
        keepUsing(one, name, ...both, calls(kept.fqdn)),
      ]);
      const expected = turn % 2 === 0 ? `tool "db:read" now needs "file"; ${WHY}` : null;
      assert.equal(await staleOf(one, 'my:both'), expected, `turn ${turn}`);
      assert.equal(await staleOf(two, name), expected, `what was saved in turn ${turn}`);
    }
  },
);

test('the reason for several incompatible arguments is one sentence', () => {
  const wrong = { type: 'object', properties: {}, additionalProperties: false };
  assert.equal(
    staleReason('fs:read', READ, { ...OTHER, additionalProperties: false }, [path, wrong]),
    'tool "fs:read" now needs "file", no longer takes "path"',
  );
});

onBothEngines(
  'a reason that is too long to be stored whole changes nothing when it is found again',
  async ({ db }) => {
    const keys = Array.from({ length: 40 }, (_, n) => `needed_${n}_${'x'.repeat(40)}`);
    const needing = { type: 'object', required: keys };
    const tools = Array.from({ length: 6 }, (_, n) => `t${n}`);
    const offered = (schema: object) => tools.map((name) => ({ name, schema }));
    await observeTools(db, ana, 'fs', offered(READ));
    const uses = tools.map((name) => ({ ...reads, callee: `fs:${name}` }));
    await keepUsing(db, 'my:many', ...uses);
    assert.equal(await observeTools(db, ana, 'fs', offered(needing)), 1);
    assert.equal((await staleOf(db, 'my:many'))?.length, 1000);
    // The last tool fits again, which the part of the reason that is stored does not show.
    const mended = offered(needing).with(-1, { name: 't5', schema: READ });
    assert.equal(await observeTools(db, ana, 'fs', mended), 0);
  },
);
