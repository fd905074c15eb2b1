import assert from 'node:assert/strict';
import { onBothEngines } from '../../store/testing.ts';
import { remember } from '../index.ts';
import { ana, cyd, learned, registryOf } from '../testing.ts';
import { VerdictCache } from './verdict-cache.ts';

onBothEngines('verdicts are recalled once all tools were read, by scope', async ({ db }) => {
  const verdict = { tool: 'db:query', path: 'sql', kind: 'program', rule: 'test' } as const;
  await remember(registryOf(db), ana, learned('aaaa', { verdicts: [verdict] }));
  const cache = new VerdictCache(db);
  assert.equal(cache.recall(ana, ['db:query']), undefined);

  const read = await cache.read(ana, ['db:query', 'fs:read']);

  assert.deepEqual([...read], [['db:query sql', 'program']]);
  assert.deepEqual(cache.recall(ana, ['db:query']), read);
  assert.deepEqual([...(cache.recall(ana, ['fs:read']) ?? ['none'])], []);
  assert.equal(cache.recall(ana, ['db:query', 'fs:write']), undefined);
  assert.equal(cache.recall(cyd, ['db:query']), undefined);
});
