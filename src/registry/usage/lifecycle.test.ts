import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { listMostUsed, listNamed, query, remember, rename, restore, retire, update } from '../index.ts';
import { ana, learned, registryOf, saveCapability } from '../testing.ts';
import { explainListing, type Lifecycle, listingStatusOf } from './lifecycle.ts';

const DAY = 86_400_000;
const SETTINGS: Lifecycle = { unusedDays: 90, minSuccessRate: 0.5, minCalls: 5 };
const NOW = Date.now();
const daysAgo = (days: number) => new Date(NOW - days * DAY);

const CASES: [string, string, number, Partial<Lifecycle>, string][] = [
  ['new', '', 0, {}, 'listed'],
  ['not used for long', '', 91, {}, 'unused'],
  ['not used for long, and nobody minds', '', 91, { unusedDays: 0 }, 'listed'],
  ['used within the time', '', 89, {}, 'listed'],
  ['failing', '10000', 0, {}, 'failing'],
  ['failing, of few calls', '0000', 0, {}, 'listed'],
  ['failing, and back', '00001', 0, {}, 'listed'],
  ['failing half of the time', '110010', 0, {}, 'listed'],
  ['failing, and nobody minds', '00000', 0, { minSuccessRate: null }, 'listed'],
  ['failing, and no number of calls counts', '00000', 0, { minCalls: 0 }, 'listed'],
  ['failing and unused', '00000', 100, {}, 'failing'],
];
for (const [what, recent, days, more, status] of CASES) {
  test(`a capability that is ${what}: ${status}`, () => {
    assert.equal(
      listingStatusOf({ recent, lastUsedAt: daysAgo(days) }, { ...SETTINGS, ...more }, NOW),
      status,
    );
  });
}

test('the explanation names evidence and threshold', () => {
  const explain = (recent: string, days: number) =>
    explainListing({ recent, lastUsedAt: daysAgo(days) }, SETTINGS, NOW);
  assert.equal(
    explain('10000', 0),
    '1 of its last 5 calls succeeded, less than 50%, and the last one failed; it is listed again when a call succeeds',
  );
  assert.equal(
    explain('1', 120),
    'not used for 120 days, more than 90; it is listed again when it is called',
  );
  assert.equal(explain('11', 3), 'used 3 days ago; 2 of its last 2 calls succeeded');
});

async function listedNames(db: Db, settings: Lifecycle): Promise<string[]> {
  const named = await listNamed(db, ana, '', 1000, settings);
  const most = await listMostUsed(db, ana, 1000, settings);
  const names = named.map(({ name }) => name);
  assert.deepEqual(
    most.map(({ name }) => name),
    names,
  );
  return names;
}

onBothEngines('SQL and function agree on what is listed, and queries show the rest', async ({ db }) => {
  const evidence = fc.sample(
    fc.record({
      recent: fc.string({ unit: fc.constantFrom('0', '0', '1'), maxLength: 20 }),
      days: fc.integer({ min: 0, max: 200 }),
    }),
    { numRuns: 60, seed: 4 },
  );
  for (const [index, { recent, days }] of evidence.entries()) {
    const name = `c:${String(index).padStart(3, '0')}`;
    const { fqdn } = await saveCapability(db, ana, name);
    await db.query('update capability_records set recent = $2, last_used_at = $3 where id = $1', [
      ...[fqdn, recent, daysAgo(days).toISOString()],
    ]);
  }
  for (const settings of [
    SETTINGS,
    { unusedDays: 30, minSuccessRate: 0.9, minCalls: 1 },
    { ...SETTINGS, unusedDays: null },
  ]) {
    const expected = evidence.flatMap(({ recent, days }, index) =>
      listingStatusOf({ recent, lastUsedAt: daysAgo(days) }, settings) === 'listed'
        ? `c:${String(index).padStart(3, '0')}`
        : [],
    );
    assert.deepEqual(await listedNames(db, settings), expected);
    const { capabilities, total } = await query(db, ana, { sort_by: 'name', limit: 100 }, settings);
    assert.equal(total, evidence.length);
    assert.deepEqual(
      capabilities.flatMap(({ name, unlisted }) => (unlisted === undefined ? name : [])),
      expected,
    );
  }
  assert.equal((await listNamed(db, ana, '', 1000)).length, evidence.length);
});

onBothEngines('naming, renaming, updating or restoring lists a capability again', async ({ db }) => {
  const forget = () =>
    db.query(`update capability_records set last_used_at = now() - interval '1 year', recent = '000000'`);
  const age = () =>
    db.query(`update capability_records set last_used_at = now() - interval '1 year', recent = ''`);
  const isListed = async () => (await listedNames(db, SETTINGS)).length === 1;
  const registry = registryOf(db);
  await remember(registry, ana, learned('ab'));
  await age();
  await remember(registry, ana, learned('ab', { name: 'my:first' }));
  assert.ok(await isListed(), 'named');
  await age();
  await rename(registryOf(db), ana, 'my:first', { newName: 'my:second' });
  assert.ok(await isListed(), 'renamed');
  await forget();
  assert.ok(!(await isListed()));
  await update(registry, ana, 'my:second', { ...learned('cd'), routing: 'local' });
  assert.ok(await isListed(), 'updated');
  await forget();
  await retire(registryOf(db), ana, 'my:second', 30);
  await restore(registryOf(db), ana, 'my:second');
  assert.ok(await isListed(), 'restored');
});

onBothEngines(
  'an unnamed computation is the first to leave, and comes back when it is used',
  async ({ db }) => {
    const registry = registryOf(db);
    const toolless = { toolsUsed: [], namespace: 'util' };
    await remember(registry, ana, learned('c0', toolless));
    await remember(registry, ana, learned('c1', { ...toolless, name: 'util:named' }));
    await remember(registry, ana, learned('a0'));
    const names = async (filter: object, settings = SETTINGS) => {
      const { capabilities, total } = await query(db, ana, filter, settings);
      assert.equal(total, capabilities.length);
      return capabilities.map(({ name }) => name);
    };
    const all = ['unnamed_a0000000', 'unnamed_c0000000', 'util:named'];
    const used = async (days: number) => {
      await db.query('update capability_records set last_used_at = $1', [daysAgo(days).toISOString()]);
    };
    await used(8);
    assert.deepEqual(await names({ sort_by: 'name' }), all);
    await used(10);
    assert.deepEqual(await names({ sort_by: 'name' }), ['unnamed_a0000000', 'util:named']);
    assert.deepEqual(await names({ unnamed_only: true }), ['unnamed_a0000000', 'unnamed_c0000000']);
    assert.deepEqual(await names({ sort_by: 'name' }, { ...SETTINGS, unusedDays: null }), all);
    // Of equal use, it stands last.
    assert.deepEqual(await names({}, { ...SETTINGS, unusedDays: 0 }), [
      'unnamed_a0000000',
      'util:named',
      'unnamed_c0000000',
    ]);
    await used(0);
    assert.deepEqual(await names({ sort_by: 'name' }), all);
  },
);
