import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onBothEngines } from '../store/testing.ts';
import { likePattern } from './glob.ts';
import { type Filter, query, rename } from './index.ts';
import { ana, ben, cyd, dan, keep } from './testing.ts';

onBothEngines('FR014 FR015 FR016 FR018 every filter, order and page of cap_list', async ({ db }) => {
  const names = ['fs:read', 'fs:write', 'db:query', 'fs_x', 'word'];
  for (const name of names) await keep(db, ana, name);
  for (let n = 0; n < 5; n++) await keep(db, ana);
  await rename(db, ana, 'fs:read', { tags: ['json', 'config'], visibility: 'public' });
  await rename(db, ana, 'fs:write', { tags: ['json'] });
  await rename(db, ana, 'word', { newName: 'db:word' });
  const calls = { 'fs:write': 9, 'db:query': 5, 'fs:read': 5 };
  for (const [name, count] of Object.entries(calls))
    await db.query(
      'update capability_records set usage_count = $2::int, success_count = $2::int - 1 where display_name = $1',
      [name, count],
    );
  const ask = async (filter: Filter) =>
    (await query(db, ana, { sort_by: 'name', ...filter })).capabilities.map(({ name }) => name);

  assert.equal((await query(db, ana, {})).total, 10);
  assert.deepEqual(await ask({ named_only: true }), ['db:query', 'db:word', 'fs:read', 'fs:write', 'fs_x']);
  assert.equal((await query(db, ana, { unnamed_only: true })).total, 5);
  assert.equal((await query(db, ana, { unnamed_only: true, named_only: true })).total, 0);
  assert.deepEqual(await ask({ pattern: 'fs:*' }), ['fs:read', 'fs:write']);
  assert.deepEqual(await ask({ pattern: 'fs_?' }), ['fs_x']);
  assert.deepEqual(await ask({ pattern: 'f%' }), []);
  assert.deepEqual(await ask({ pattern: '*:*r*' }), ['db:query', 'db:word', 'fs:read', 'fs:write']);
  assert.deepEqual(await ask({ namespace: 'db' }), ['db:query', 'db:word']);
  assert.deepEqual(await ask({ namespace: 'd?', pattern: '*word' }), ['db:word']);
  assert.deepEqual(await ask({ tags: ['json'] }), ['fs:read', 'fs:write']);
  assert.deepEqual(await ask({ tags: ['json', 'config'] }), ['fs:read']);
  assert.deepEqual(await ask({ visibility: 'public' }), ['fs:read']);
  assert.equal((await query(db, ana, { created_by: 'a*' })).total, 10);
  assert.equal((await query(db, ana, { created_by: 'b*' })).total, 0);
  assert.deepEqual(await ask({ type: 'mcp-server' }), ['mcp:filesystem', 'mcp:shell', 'mcp:sqlite']);
  const byUse = await query(db, ana, { limit: 3 });
  assert.deepEqual(
    byUse.capabilities.map(({ name, usage_count, success_rate }) => [name, usage_count, success_rate]),
    [
      ['fs:write', 9, 0.8889],
      ['db:query', 5, 0.8],
      ['fs:read', 5, 0.8],
    ],
  );
  assert.equal((await ask({ sort_by: 'created', limit: 10 })).at(-1), 'fs:read');
  assert.deepEqual(await ask({ named_only: true, limit: 2, offset: 2 }), ['fs:read', 'fs:write']);
  const beyond = await query(db, ana, { offset: 500 });
  assert.deepEqual([beyond.capabilities, beyond.total], [[], 10]);
  const [first] = byUse.capabilities;
  assert.deepEqual(Object.keys(first as object).sort(), [
    ...['description', 'id', 'name', 'parameters', 'routing', 'success_rate'],
    ...['tags', 'usage_count', 'version', 'visibility'],
  ]);
  assert.deepEqual(first?.parameters, ['path']);
});

onBothEngines('a list and its count hold only what one may see, under names one can call', async ({ db }) => {
  for (const visibility of ['private', 'project', 'org', 'public'] as const)
    await keep(db, ana, `v:${visibility}`, visibility);
  const seen = async (who: typeof ana) => {
    const { capabilities, total } = await query(db, who, { sort_by: 'name' });
    assert.equal(total, capabilities.length);
    return capabilities.map(({ name }) => name);
  };
  assert.deepEqual(await seen(ana), ['v:org', 'v:private', 'v:project', 'v:public']);
  assert.deepEqual(await seen(ben), ['v:org', 'v:project', 'v:public']);
  assert.deepEqual(await seen(cyd), ['acme.web:v:org', 'acme.web:v:public']);
  assert.deepEqual(await seen(dan), ['acme.web:v:public']);
  assert.equal((await query(db, dan, { created_by: 'ana', pattern: '*', namespace: '*' })).total, 1);
});

onBothEngines('a filter means what its characters say, whatever they are', async ({ db }) => {
  await keep(db, ana, 'a_b');
  await keep(db, ana, 'axb');
  const trick = fc.oneof(
    fc.constantFrom(
      "' or 1=1 --",
      '%',
      '_',
      '\\',
      '\\%',
      'a\\_b',
      '$1',
      '[a-z]*',
      '{a,b}',
      'a_b',
      '%%%',
      "'';",
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
  );
  await fc.assert(
    fc.asyncProperty(trick, async (text) => {
      const expected = ['a_b', 'axb'].filter((name) => globMatches(text, name)).length;
      assert.equal((await query(db, ana, { pattern: text })).total, expected, text);
      assert.equal((await query(db, ana, { tags: [text] })).total, 0);
      const namespaced = globMatches(text, 'fs') ? 2 : 0;
      assert.equal((await query(db, ana, { namespace: text })).total, namespaced);
      assert.equal((await query(db, ana, { created_by: text })).total, globMatches(text, 'ana') ? 2 : 0);
    }),
    { numRuns: 60 },
  );
});

test('a glob as a LIKE pattern matches what the glob matches', () => {
  const letters = fc
    .array(fc.constantFrom('a', 'b', '_', '%', '\\', ':'), { maxLength: 6 })
    .map((all) => all.join(''));
  const glob = fc
    .array(fc.constantFrom('a', 'b', '_', '%', '\\', '*', '?'), { maxLength: 6 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(glob, letters, (pattern, name) => {
      assert.equal(likeMatches(likePattern(pattern), name), globMatches(pattern, name));
    }),
    { numRuns: 10_000 },
  );
});

function globMatches(glob: string, text: string): boolean {
  return matches(
    [...glob].map((one) => (one === '*' ? 'any' : one === '?' ? 'one' : { letter: one })),
    [...text],
  );
}

/** LIKE, as PostgreSQL documents it. */
function likeMatches(like: string, text: string): boolean {
  const parts: Part[] = [];
  for (let i = 0; i < like.length; i++) {
    if (like[i] === '\\') parts.push({ letter: like[++i] as string });
    else parts.push(like[i] === '%' ? 'any' : like[i] === '_' ? 'one' : { letter: like[i] as string });
  }
  return matches(parts, [...text]);
}

type Part = 'any' | 'one' | { letter: string };

function matches(parts: readonly Part[], text: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return text.length === 0;
  if (part === 'any') return matches(rest, text) || (text.length > 0 && matches(parts, text.slice(1)));
  if (text.length === 0) return false;
  return (part === 'one' || part.letter === text[0]) && matches(rest, text.slice(1));
}
