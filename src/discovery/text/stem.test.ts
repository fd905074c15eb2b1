import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../testing/effort.ts';
import { stem } from './stem.ts';

/** Words with their stems from the vocabulary that Snowball publishes for the algorithm. */
const VOCABULARY: Readonly<Record<string, string>> = {
  consign: 'consign',
  consigned: 'consign',
  consisting: 'consist',
  consistency: 'consist',
  consolation: 'consol',
  consolingly: 'consol',
  conspiracy: 'conspiraci',
  knightly: 'knight',
  knots: 'knot',
  generate: 'generat',
  generic: 'generic',
  communication: 'communic',
  hopping: 'hop',
  hoping: 'hope',
  luxuriated: 'luxuri',
  ties: 'tie',
  cries: 'cri',
  gas: 'gas',
  gaps: 'gap',
  say: 'say',
  by: 'by',
  enjoy: 'enjoy',
  skies: 'sky',
  news: 'news',
  proceeds: 'proceed',
  relational: 'relat',
  rationalize: 'ration',
  adjustable: 'adjust',
  controlling: 'control',
  repositories: 'repositori',
  repository: 'repositori',
};

test('words have the stems that Porter2 gives them', () => {
  for (const [word, expected] of Object.entries(VOCABULARY)) assert.equal(stem(word), expected, word);
});

test('a stem is never longer than its word, and never empty', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abcdeghilmnorstuyz'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(letters, (word) => {
      const found = stem(word);
      assert.ok(found.length > 0 && found.length <= word.length, `${word} → ${found}`);
    }),
    runs(500),
  );
});

test('words of other scripts are left as they are', () => {
  for (const word of ['сервисы', 'größen', '天气', '🦊']) assert.equal(stem(word), word);
});
