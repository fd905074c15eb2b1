import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inferOutput } from '../../code/index.ts';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { type Capability, listNamed, onChange, type RegistryChange, update } from '../index.ts';
import { ana, learned, registryOf, saveCapability } from '../testing.ts';
import { isStable, keyOf, knownOutput, observeOutputs } from './observe-outputs.ts';

async function observe(db: Db, { fqdn, version }: Capability, ...values: unknown[]) {
  for (const value of values) {
    const observed = { fqdn, version, code: 'return { id, name }', schema: inferOutput(value) };
    await observeOutputs(db, [{ ...observed, results: 1, changedAt: 1 }]);
  }
  return knownOutput(db, { fqdn, version });
}

const listedSchema = async (db: Db) => (await listNamed(db, ana, '', 10))[0]?.outputSchema;

test('the more results a schema took, the longer it must stay the same', () => {
  const stableAt = (changedAt: number) => {
    let results = changedAt;
    while (!isStable({ results, changedAt })) results += 1;
    return results;
  };
  assert.deepEqual([1, 2, 3, 10, 100].map(stableAt), [4, 5, 6, 20, 200]);
});

onBothEngines(
  'a schema is declared when it is stable, kept while results fit it, and withdrawn when one does not',
  async ({ db }) => {
    const capability = await saveCapability(db, ana, 'my:out');
    const heard: (RegistryChange | 'unknown')[] = [];
    await onChange(db, (change) => heard.push(change));
    const three = await observe(db, capability, { id: 1 }, { id: 2 }, { id: 3 });
    assert.deepEqual([three?.results, three?.changedAt, three?.declared], [3, 1, null]);
    assert.equal(await listedSchema(db), null);
    await observe(db, capability, { id: 4 });
    const declared = { type: 'object', properties: { id: { type: 'number' } } };
    assert.deepEqual(await listedSchema(db), declared);
    // Another property fits what is declared: it is told later.
    await observe(db, capability, { id: 5, name: 'x' });
    assert.deepEqual(await listedSchema(db), declared);
    await observe(db, capability, ...Array(5).fill({ id: 6 }));
    const wider = { type: 'object', properties: { id: { type: 'number' }, name: { type: 'string' } } };
    assert.deepEqual(await listedSchema(db), wider);
    await observe(db, capability, { id: 'seven' });
    assert.equal(await listedSchema(db), null);
    // PostgreSQL tells a process of its own changes twice.
    const each = heard.map((change) => (change === 'unknown' ? change : change.what));
    assert.ok(each.length >= 3 && each.every((what) => what === 'declared'), each.join());
  },
);

onBothEngines(
  'versions have schemas of their own, and an unnamed capability announces nothing',
  async ({ db }) => {
    const capability = await saveCapability(db, ana);
    const heard: unknown[] = [];
    await onChange(db, (change) => heard.push(change));
    await observe(db, capability, ...Array(4).fill({ id: 1 }));
    assert.deepEqual(heard, []);
    const next = await update(registryOf(db), ana, capability.fqdn, { ...learned('d1'), routing: 'local' });
    assert.equal(await knownOutput(db, next), undefined);
    await observe(db, next, { other: 1 });
    assert.equal((await knownOutput(db, capability))?.results, 4);
    assert.equal((await knownOutput(db, next))?.results, 1);
  },
);

onBothEngines('two processes that observe at once lose nothing', async ({ db, again }) => {
  const other = await again();
  const made = [await saveCapability(db, ana, 'a:one'), await saveCapability(db, ana, 'b:two')];
  const batch = (value: unknown) =>
    made.map(({ fqdn, version }) => {
      return { fqdn, version, code: '', schema: inferOutput(value), results: 2, changedAt: 1 };
    });
  const rounds = Array.from({ length: 20 }, (_, at) =>
    observeOutputs(at % 2 === 0 ? db : other, at % 3 === 0 ? batch({ [`p${at}`]: 1 }).reverse() : batch({})),
  );
  const known = (await Promise.all(rounds)).at(-1);
  assert.ok(known?.has(keyOf(made[0] as Capability)));
  for (const capability of made) {
    const { results, schema } = (await knownOutput(db, capability)) ?? {};
    assert.equal(results, 40);
    assert.deepEqual(Object.keys(schema?.properties ?? {}).sort(), [
      'p0',
      'p12',
      'p15',
      'p18',
      'p3',
      'p6',
      'p9',
    ]);
  }
});
