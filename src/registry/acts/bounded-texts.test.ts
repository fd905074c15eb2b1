import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { MAX_TEXT } from '../../stored-texts.ts';
import { describe, history, query, remember, rename, resolve, update } from '../index.ts';
import { observeTools } from '../servers/index.ts';
import { ana, failureOf, learned, registryOf, saveCapability } from '../testing.ts';

const LONG = 'a book '.repeat(1_800_000);
const MIGRATION = new URL('../../store/migrations/008_bounded_texts.sql', import.meta.url);

const lengths = async (db: Db) =>
  (
    await db.query<Record<string, number>>(
      `select max(length(intent)) as intent, max(length(description)) as description,
         (select max(length(change_summary)) from capability_versions) as summary from capability_records`,
    )
  ).rows[0];

onBothEngines('every act cuts long prose', async ({ db }) => {
  const registry = registryOf(db);
  const { capability } = await remember(registry, ana, learned('a1', { name: 'long:one', intent: LONG }));
  assert.equal(capability.intent.length, MAX_TEXT.intent);
  assert.ok(capability.description.endsWith('…'));
  await rename(registryOf(db), ana, 'long:one', { description: LONG });
  const next = { ...learned('a2'), routing: 'local', changeSummary: LONG } as const;
  await update(registry, ana, 'long:one', next);
  assert.deepEqual(await lengths(db), {
    intent: MAX_TEXT.intent,
    description: MAX_TEXT.description,
    summary: MAX_TEXT.change_summary,
  });
});

onBothEngines(
  'tags that are too many, too long or secret are refused, and nothing changes',
  async ({ db }) => {
    await saveCapability(db, ana, 'tagged:one');
    const tagged = (tags: string[]) => failureOf(rename(registryOf(db), ana, 'tagged:one', { tags }));
    assert.equal(
      await tagged(Array.from({ length: 51 }, (_, at) => `t${at}`)),
      'invalid_arguments: A capability has at most 50 tags, not 51.',
    );
    assert.equal(await tagged(['x'.repeat(65)]), 'invalid_arguments: A tag has 1 to 64 characters, not 65.');
    assert.match(
      await tagged(['ghp_16C7e42F292c6912E7710c838347Ae178B4a']),
      /A tag holds what looks like a secret/,
    );
    assert.deepEqual((await resolve(db, ana, 'tagged:one')).tags, []);
    assert.equal(await tagged(['a', 'a', 'b']), 'done');
    assert.deepEqual((await resolve(db, ana, 'tagged:one')).tags, ['a', 'b']);
  },
);

onBothEngines('a schema that is too large is refused with its limit', async ({ db }) => {
  const properties = Object.fromEntries(
    Array.from({ length: 12_000 }, (_, at) => [`p${at}`, { type: 'string' }]),
  );
  assert.match(
    await failureOf(
      remember(registryOf(db), ana, learned('b1', { parametersSchema: { type: 'object', properties } })),
    ),
    /^code_limit: The schema of its parameters has \d+ characters; at most 262144 are kept\.$/,
  );
});

onBothEngines(
  'a giant tool is observed without its schema, and its callers are not judged',
  async ({ db }) => {
    const huge = (kind: string) => ({
      type: 'object',
      properties: { x: { enum: Array.from({ length: 9000 }, (_, at) => `${kind} ${at}`) } },
    });
    const passed = [{ type: 'object', properties: { x: { const: 'old 1' } } }];
    await observeTools(db, ana, 'fs', [
      { name: 'read', schema: huge('old') },
      { name: 'n'.repeat(500), schema: {} },
    ]);
    const dependencies = [{ callee: 'fs:read', schema: huge('old'), passed }];
    await remember(registryOf(db), ana, learned('c1', { name: 'huge:one', dependencies }));
    assert.equal(await observeTools(db, ana, 'fs', [{ name: 'read', schema: huge('new') }]), 0);
    const { rows } = await db.query<{ size: number }>(
      'select max(length(schema::text)) as size from tool_schemas',
    );
    assert.equal(rows[0]?.size, 2);
    assert.equal((await resolve(db, ana, 'huge:one')).stale, null);
  },
);

onBothEngines('the database refuses unbounded texts', async ({ db }) => {
  await saveCapability(db, ana, 'second:line');
  for (const column of ['intent', 'description'])
    await assert.rejects(db.query(`update capability_records set ${column} = repeat('x', 20000)`), {
      code: '23514',
    });
});

onBothEngines('texts stored before there were limits are cut, and no URL shows a secret', async ({ db }) => {
  const old = await saveCapability(db, ana, 'old:one');
  await db.query('alter table capability_records drop constraint capability_records_short');
  await db.query('alter table capability_versions drop constraint capability_versions_short');
  await db.query('alter table tool_usage drop constraint tool_usage_short');
  await db.query('alter table observed_tools drop constraint observed_tools_short');
  await db.query(
    `update capability_records set intent = repeat('x', 30000), description = repeat('y', 30000) where id = $1`,
    [old.fqdn],
  );
  await db.query(
    `insert into capability_versions (capability_fqdn, version, updated_by, change_summary, code_url)
     values ($1, 2, 'ana', repeat('z', 30000), 'https://x.example/s/abc123/mcp')`,
    [old.fqdn],
  );
  for (const statement of readFileSync(MIGRATION, 'utf8')
    .split(/;\n/)
    .filter((sql) => sql.trim()))
    await db.query(statement);
  const found = await resolve(db, ana, 'old:one');
  const shown = await describe(registryOf(db), ana, found);
  assert.deepEqual([shown.intent.length, shown.description.length], [MAX_TEXT.intent, MAX_TEXT.description]);
  const { capabilities } = await query(db, ana, {});
  assert.equal(capabilities[0]?.description.length, MAX_TEXT.description);
  const [newest] = await history(db, ana, { ...found, type: 'mcp-server' });
  assert.equal(newest?.change_summary.length, MAX_TEXT.change_summary);
  assert.match(newest?.diff ?? '', /\+https:\/\/x\.example\n/);
  // Counters still move.
  await db.query('update capability_records set usage_count = usage_count + 1');
});
