import assert from 'node:assert/strict';
import { remember } from '../../registry/index.ts';
import { ana, learned, registryOf, saveCapability } from '../../registry/testing.ts';
import { rowsReadBy } from '../../store/rows-read.testing.ts';
import { onBothEngines } from '../../store/testing.ts';
import { hasWithoutSuggestion, type StoredSuggestion, storeSuggestion } from './suggestions.ts';

onBothEngines('of two curations at once, the first one’s suggestion stays', async ({ db, again }) => {
  const other = db.engine === 'pglite' ? db : await again();
  for (let round = 0; round < 20; round++) {
    const { fqdn } = await saveCapability(db, ana, `race:one_${round}`);
    const suggestion = (name: string): StoredSuggestion => ({
      fqdn,
      name,
      version: 1,
      replaces: `race:one_${round}`,
      description: '',
      tags: [],
      parameterDescriptions: {},
      confidence: 1,
      reasoning: '',
      madeBy: 'heuristics',
    });
    const [first, second] = await Promise.all([
      storeSuggestion(db, suggestion('a:b')),
      storeSuggestion(other, suggestion('c:d')),
    ]);
    assert.equal(first.name, second.name);
  }
});

/** Many unnamed records. */
const MANY = `with pattern as (select id from workflow_pattern limit 1)
  insert into capability_records (id, display_name, listed_name, org, project, namespace, action, hash, pattern_id,
    created_by, updated_by)
  select 'acme.web.x.' || n || '.0000', 'x' || n, 'x' || n, 'acme', 'web', 'x', n, '0000', pattern.id, 'ana', 'ana'
  from generate_series(1, 5000) n, pattern`;

onBothEngines('capabilities without a suggestion are counted only as far as it matters', async ({ db }) => {
  await remember(registryOf(db), ana, learned('aaaa'));
  assert.equal(await hasWithoutSuggestion(db, ana, 1), true);
  assert.equal(await hasWithoutSuggestion(db, ana, 2), false);
  await db.query(MANY);
  await db.query('analyze');
  const read = await rowsReadBy(db, (tx) => hasWithoutSuggestion(tx, ana, 10));
  assert.ok(read > 0 && read < 60, `${read} rows read`);
});
