import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { runs } from '../../testing/effort.ts';
import { type Filter, query, rename, retire, type Visibility } from '../index.ts';
import { ana, ben, cyd, dan, keep, registryOf } from '../testing.ts';
import { likePattern } from './glob.ts';

onBothEngines('FR014 FR015 FR016 FR018 every filter, order and page of cap_list', async ({ db }) => {
  const names = ['fs:read', 'fs:write', 'db:query', 'fs_x', 'word'];
  for (const name of names) await keep(db, ana, name);
  for (let n = 0; n < 5; n++) await keep(db, ana);
  await rename(registryOf(db), ana, 'fs:read', { tags: ['json', 'config'], visibility: 'public' });
  await rename(registryOf(db), ana, 'fs:write', { tags: ['json'] });
  await rename(registryOf(db), ana, 'word', { newName: 'db:word' });
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

const USERS = [
  'ana',
  'Ana',
  "o'neil",
  '100%',
  'a_b',
  'axb',
  'a\\b',
  '*',
  'ünï',
  'u\u0308ni',
  '用户',
  '\ufffd',
];
const TAGS = ['json', 'JSON', 'a,b', '{a}', '"', "'", '%', 'é', 'NULL', ' ', '\\'];
const SCOPES = [ana, ben, cyd, dan].map(({ org, project }) => ({ org, project }));
const VISIBILITIES = ['private', 'project', 'org', 'public'] as const;
const NAMES = [
  'fs:read',
  'fs:Read',
  'fs_read',
  'fs-read',
  'fsXread',
  'a:b:c',
  ':x',
  'x::y',
  '__proto__',
  'word',
  '%',
];

interface Kept {
  fqdn: string;
  name: string;
  named: boolean;
  namespace: string;
  who: Principal;
  tags: string[];
  visibility: Visibility;
  usage: number;
  retired: boolean;
}

/** Records of every kind, oldest first. */
async function stock(db: Db): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (let n = 0; n < 72; n++) {
    const pick = <T>(all: readonly T[], step: number) => all[(n * step) % all.length] as T;
    const who: Principal = { user: pick(USERS, 5), ...pick(SCOPES, 1) };
    const chosen = pick(NAMES, 7);
    const name = n % 4 === 3 || chosen === '%' ? undefined : n < 11 ? chosen : `${chosen}${n}`;
    const made = await keep(db, who, name);
    const [tags, visibility] = [[pick(TAGS, 3), pick(TAGS, 2)], pick(VISIBILITIES, n < 36 ? 1 : 3)];
    await rename(registryOf(db), who, made.fqdn, { tags, visibility });
    const usage = n % 5;
    await db.query('update capability_records set usage_count = $2 where id = $1', [made.fqdn, usage]);
    const retired = n % 13 === 12;
    if (retired) await retire(registryOf(db), who, made.fqdn, 30);
    const [head] = made.name.split(':') as [string];
    const namespace = made.name.includes(':') && head !== '' ? head : 'fs';
    const { fqdn } = made;
    kept.push({ fqdn, name: made.name, named: made.named, namespace, who, tags, visibility, usage, retired });
  }
  return kept;
}

function sees(who: Principal, { who: owner, visibility }: Kept): boolean {
  const sameOrg = owner.org === who.org;
  const reach = {
    private: false,
    project: sameOrg && owner.project === who.project,
    org: sameOrg,
    public: true,
  };
  return owner.user === who.user || reach[visibility];
}

/** `cap_list` as it is told, over plain objects. */
function expected(kept: readonly Kept[], who: Principal, filter: Filter): { names: string[]; total: number } {
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const byName = (a: Kept, b: Kept) => order(a.name, b.name) || order(a.fqdn, b.fqdn);
  const fits = kept.filter(
    (one) =>
      sees(who, one) &&
      !one.retired &&
      filter.type !== 'mcp-server' &&
      (filter.pattern === undefined || globMatches(filter.pattern, one.name)) &&
      (filter.namespace === undefined || globMatches(filter.namespace, one.namespace)) &&
      (filter.created_by === undefined || globMatches(filter.created_by, one.who.user)) &&
      (!filter.named_only || one.named) &&
      (!filter.unnamed_only || !one.named) &&
      (filter.tags ?? []).every((tag) => one.tags.includes(tag.toWellFormed())) &&
      (filter.visibility === undefined || one.visibility === filter.visibility),
  );
  const sorted =
    filter.sort_by === 'created'
      ? fits.toReversed()
      : fits.toSorted((a, b) => (filter.sort_by === 'name' ? 0 : b.usage - a.usage) || byName(a, b));
  const { limit = 50, offset = 0 } = filter;
  const isHere = ({ org, project }: Principal) => org === who.org && project === who.project;
  const names = sorted
    .slice(offset, offset + limit)
    .map((one) => (isHere(one.who) ? one.name : `${one.who.org}.${one.who.project}:${one.name}`));
  return { names, total: fits.length };
}

onBothEngines(
  'every filter, order and page means what its characters say, whatever they are',
  async ({ db }) => {
    const kept = await stock(db);
    const odd = fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', ''));
    const trick = fc.constantFrom(
      "' or 1=1 --",
      '%',
      '_',
      '\\',
      '\\%',
      'a\\_b',
      '$1',
      '[a-z]*',
      '{a,b}',
      '%%',
      "'';",
      '',
    );
    // A true text with some of its characters turned into wildcards, or into what SQL would take for one.
    const near = (all: readonly string[]) =>
      fc
        .tuple(fc.constantFrom(...all), fc.constantFrom('*', '?', '%', '_', '**', ''), fc.nat(8), fc.nat(3))
        .map(([text, wild, at, length]) => text.slice(0, at) + wild + text.slice(at + length));
    const glob = (all: readonly string[]) =>
      fc.option(
        fc.oneof(
          { weight: 4, arbitrary: near(all) },
          { weight: 1, arbitrary: trick },
          { weight: 1, arbitrary: odd },
        ),
        {
          nil: undefined,
          freq: 2,
        },
      );
    const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
    const filters: fc.Arbitrary<Filter> = fc.record({
      pattern: glob(kept.map(({ name }) => name)),
      namespace: glob(['fs', 'a', 'x', 'unnamed']),
      created_by: glob(USERS),
      named_only: rarely(fc.boolean()),
      unnamed_only: rarely(fc.boolean()),
      tags: rarely(fc.array(fc.oneof(fc.constantFrom(...TAGS), odd), { maxLength: 2 })),
      visibility: rarely(fc.constantFrom(...VISIBILITIES)),
      type: rarely(fc.constantFrom('capability', 'mcp-server')),
      sort_by: fc.option(fc.constantFrom('usage', 'name', 'created'), { nil: undefined }),
      limit: rarely(fc.integer({ min: 1, max: 1000 })),
      offset: rarely(fc.oneof(fc.nat(20), fc.constant(1_000_000_000))),
    });
    const asker = fc.record({ user: fc.constantFrom('ana', ...USERS), scope: fc.constantFrom(...SCOPES) });
    await fc.assert(
      fc.asyncProperty(asker, filters, async ({ user, scope }, filter) => {
        const who = { user, ...scope };
        const { capabilities, total } = await query(db, who, filter);
        const names = capabilities.map(({ name }) => name);
        if (filter.type === 'mcp-server') return;
        assert.deepEqual({ names, total }, expected(kept, who, filter));
      }),
      runs(80),
    );
  },
);

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
    runs(1500),
  );
});

function globMatches(glob: string, text: string): boolean {
  return matches(
    // What is no character at all reaches no database.
    [...glob.toWellFormed()].map((one) => (one === '*' ? 'any' : one === '?' ? 'one' : { letter: one })),
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
