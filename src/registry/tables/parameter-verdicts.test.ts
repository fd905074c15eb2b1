import assert from 'node:assert/strict';
import { onBothEngines } from '../../store/testing.ts';
import { createNamed, remember, update } from '../index.ts';
import { readVerdicts } from '../procedures/index.ts';
import { ana, ben, cyd, learned, registryOf } from '../testing.ts';

const text = { tool: 'pg:run', path: 'text', rule: 'SQL' };

onBothEngines('the first verdict on a parameter stays, whoever judges next', async ({ db }) => {
  const registry = registryOf(db);
  await remember(registry, ana, learned('a1', { verdicts: [{ ...text, kind: 'program' }] }));
  await remember(registry, ben, learned('b2', { verdicts: [{ ...text, kind: 'data' }] }));
  assert.deepEqual(await readVerdicts(db, ben, ['pg:run']), new Map([['pg:run text', 'program']]));
  assert.deepEqual(await readVerdicts(db, ben, ['pg:other']), new Map());
  assert.deepEqual(await readVerdicts(db, cyd, ['pg:run']), new Map(), 'another project');
});

onBothEngines(
  'a known capability, a new version and a merged one leave their verdicts too',
  async ({ db }) => {
    const registry = registryOf(db);
    const verdict = (path: string) => ({ verdicts: [{ ...text, path, kind: 'data' as const }] });
    const { capability } = await remember(registry, ana, learned('a1'));
    await remember(registry, ana, learned('a1', verdict('one')));
    const next = learned('b2', verdict('two'));
    await update(registry, ana, capability.fqdn, { ...next, routing: 'local' });
    await createNamed(registry, ana, { ...learned('c3', verdict('three')), name: 'pg:merged' });
    const known = await readVerdicts(db, ana, ['pg:run']);
    assert.deepEqual([...known.keys()].sort(), ['pg:run one', 'pg:run three', 'pg:run two']);
  },
);

onBothEngines('replicas that judge a parameter at the same time agree afterwards', async ({ db, again }) => {
  const other = await again();
  const verdicts = (kind: 'data' | 'program', paths: readonly string[]) =>
    paths.map((path) => ({ ...text, path, kind }));
  const paths = Array.from({ length: 20 }, (_, at) => `p${at}`);
  await Promise.all([
    remember(registryOf(db), ana, learned('a1', { verdicts: verdicts('data', paths) })),
    remember(registryOf(other), ben, learned('b2', { verdicts: verdicts('program', paths.toReversed()) })),
  ]);
  const [here, there] = await Promise.all([db, other].map((one) => readVerdicts(one, ana, ['pg:run'])));
  assert.deepEqual(here, there);
  assert.equal(new Set(here?.values()).size, 1);
  assert.equal(here?.size, 20);
});

onBothEngines('a name that the database cannot hold is left out', async ({ db }) => {
  const verdicts = ['a\0', '\ud800', 'fine'].map((path) => ({ ...text, path, kind: 'data' as const }));
  await remember(registryOf(db), ana, learned('a1', { verdicts }));
  assert.deepEqual([...(await readVerdicts(db, ana, ['pg:run'])).keys()], ['pg:run fine']);
});
