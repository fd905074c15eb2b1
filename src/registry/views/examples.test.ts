import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../store/testing.ts';
import { carryOver } from '../acts/carry-over.ts';
import { describe, fork, listNamed, remember, rename, summarize, update } from '../index.ts';
import { ana, ben, learned, registryOf } from '../testing.ts';

function demanding(hash: string, example: string) {
  const text = { type: 'string', examples: [example] };
  return learned(hash, {
    name: 'log',
    parametersSchema: { type: 'object', properties: { text }, required: ['text'] },
  });
}

onBothEngines('examples are shown to the maker alone', async ({ db }) => {
  const registry = registryOf(db);
  const { capability } = await remember(registry, ana, demanding('ab', 'mine'));
  await rename(registry, ana, 'log', { visibility: 'public' });
  const views = async (who: typeof ana) => [
    await listNamed(db, who, '', 10),
    summarize(capability, who),
    await describe(registry, who, capability),
  ];
  for (const view of await views(ana)) assert.match(JSON.stringify(view), /"examples":\["mine"\]/);
  for (const view of await views(ben)) assert.doesNotMatch(JSON.stringify(view), /examples|mine/);
  assert.doesNotMatch(JSON.stringify(summarize(capability)), /examples/);
  const copy = await fork(registry, ben, 'log', 'copy');
  assert.deepEqual(copy.parametersSchema, {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  });
  const own = await fork(registry, ana, 'log', 'own');
  assert.match(JSON.stringify(own.parametersSchema), /mine/);
});

onBothEngines("a creator sees no data of an admin's version", async ({ db }) => {
  const registry = registryOf(db);
  await remember(registry, ana, demanding('ab', 'mine'));
  await rename(registry, ana, 'log', { visibility: 'public' });
  const next = { ...demanding('cd', 'admins'), code: 'return args.text + 1', routing: 'local' as const };
  const { parametersSchema } = await update(registry, { ...ben, admin: true }, 'log', next);
  assert.deepEqual(parametersSchema.required, ['text']);
  assert.doesNotMatch(JSON.stringify(parametersSchema), /examples/);
});

test('a parameter that must be given gets no default of a former version', () => {
  const former = { type: 'object', properties: { a: { type: 'string', default: 'x' } } };
  const next = { type: 'object', properties: { a: { type: 'string', examples: ['y'] } }, required: ['a'] };
  assert.deepEqual(carryOver(former, next), next);
});
