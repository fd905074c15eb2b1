import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveryEntry } from '../entry.ts';
import { analyseEntry } from './document.ts';
import { LexicalIndex } from './lexical-index.ts';

const entry = (at: number, name: string, only?: string): DiscoveryEntry => ({
  ...{ id: `${at}`, kind: 'tool', server: 's', name, description: '', inputSchema: {} },
  ...(only !== undefined && { only }),
});

test('a search among very many entries leaves out the words that say least', () => {
  const index = new LexicalIndex();
  const add = (one: DiscoveryEntry) => index.add(one, analyseEntry(one));
  for (let at = 0; at < 300; at++) add(entry(at, at % 100 === 0 ? 'rare common' : 'common'));
  const wanted = (user?: string) =>
    ['rare', 'common'].map((term) => {
      const { numberOf, rarity } = index.statisticsFor(user);
      const number = numberOf(term) as number;
      return { number, weight: rarity(number) };
    });
  const found = (most: number) => index.best(wanted(), 500, () => true, most).length;
  assert.equal(found(1000), 300);
  assert.equal(found(100), 3);
  // The rarest word is looked at, however many entries have it.
  assert.equal(index.best(wanted().slice(1), 500, () => true, 100).length, 300);
  // Private entries do not change what is left out.
  for (let at = 300; at < 900; at++) add(entry(at, 'rare', 'ana'));
  assert.equal(index.best(wanted(), 500, ({ only }) => only === undefined, 100).length, 3);
});
