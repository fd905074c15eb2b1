import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../testing/effort.ts';
import { clausesOf } from './clauses.ts';
import { intentWordsOf } from './intent-words.ts';
import { wordsOf } from './words.ts';

function textsOf(text: string): string[] {
  return wordsOf(text).map((word) => word.text);
}

test('names are split however they are written', () => {
  assert.deepEqual(textsOf('get_user-by.id'), ['get', 'user', 'by', 'id']);
  assert.deepEqual(textsOf('getUserByID'), ['get', 'user', 'by', 'id', 'getuserbyid']);
  assert.deepEqual(textsOf('HTTPServer2 MySQL'), ['http', 'server', 'httpserver2', 'my', 'sql', 'mysql']);
});

test('accents do not matter, numbers are left out, and scripts without spaces become pairs', () => {
  assert.deepEqual(textsOf('Résumé naïve 2024'), ['resume', 'naive']);
  assert.deepEqual(textsOf('天气预报'), ['天气', '气预', '预报']);
  assert.deepEqual(textsOf('прогноз погоды'), ['прогноз', 'погоды']);
  assert.deepEqual(textsOf('🦊 🎉'), []);
});

test('any name is found by its words in any style', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefghij'), minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const camel = words.map((one, at) => (at === 0 ? one : one[0]?.toUpperCase() + one.slice(1))).join('');
      assert.deepEqual(textsOf(words.join('_')), words);
      assert.deepEqual(textsOf(camel).slice(0, words.length), words);
    }),
    runs(200),
  );
});

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 200 })
  .map((codes) => String.fromCodePoint(...codes));

test('any text gives bounded words and clauses', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const { text: found, stem } of wordsOf(text)) assert.ok(found.length <= 40 && stem.length > 0);
      assert.ok(clausesOf(text).length <= 8);
      assert.ok(intentWordsOf(text).terms.size <= 64);
    }),
    runs(100),
  );
});

test('an intent is split where a new task begins', () => {
  assert.deepEqual(clausesOf('Read the file and post it to Slack'), [
    'Read the file',
    'and post it to Slack',
  ]);
  assert.deepEqual(clausesOf('the name and size of a file'), ['the name and size of a file']);
  assert.deepEqual(clausesOf('Find flights. Also book a hotel, then email me.'), [
    'Find flights',
    'book a hotel,',
    'email me',
  ]);
  assert.deepEqual(clausesOf(' \n.?!'), []);
});

test('values weigh less than the words around them, and asking words nothing', () => {
  const { terms } = intentWordsOf('Could you please rename "quarterly report" in <folder_name>');
  assert.equal(terms.get('renam'), 1);
  assert.ok((terms.get('report') ?? 1) < 0.5);
  assert.ok((terms.get('folder') ?? 1) < 0.5);
  assert.equal(terms.has('pleas'), false);
});

test('a long intent is read in part', () => {
  const { terms } = intentWordsOf(
    Array.from({ length: 200_000 }, (_, at) => `w${at.toString(36)}x`).join(' '),
  );
  assert.ok(terms.size <= 64);
});
