import assert from 'node:assert/strict';
import { ana, saveCapability } from '../../registry/testing.ts';
import { onBothEngines } from '../../store/testing.ts';
import { type StoredSuggestion, storeSuggestion } from './suggestions.ts';

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
