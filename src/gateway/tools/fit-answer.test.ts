import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitAnswer, fitList } from './fit-answer.ts';

const LIMIT = 1_000_000;

/** Measures an answer as it is sent: structured, and as text. */
function sentBytes(answer: object): number {
  const text = JSON.stringify(answer);
  return Buffer.byteLength(JSON.stringify({ content: [{ type: 'text', text }], structuredContent: answer }));
}

test('an answer that fits is the same object', () => {
  const answer = { code: 'x'.repeat(400_000), tags: ['a'] };
  assert.equal(fitAnswer(answer), answer);
});

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
const HOSTILE: [string, object][] = [
  ['a long text', { code: 'x'.repeat(12_000_000), name: 'kept' }],
  ['a text that grows by escaping', { code: '\u0001"\\'.repeat(200_000), name: 'kept' }],
  ['a text of many bytes', { code: '漢'.repeat(300_000), name: 'kept' }],
  ['many texts', { runs: Array.from({ length: 100_000 }, () => 'x'.repeat(100)), name: 'kept' }],
  [
    'many properties',
    { schema: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`p${i}`, {}])), name: 'kept' },
  ],
  ['long keys', { schema: { ['k'.repeat(5_000_000)]: 1 }, name: 'kept' }],
  ['deep nesting', { schema: nested(20_000), name: 'kept' }],
  [
    'a wide tree',
    {
      schema: Array.from({ length: 40 }, () =>
        Array.from({ length: 40 }, () => Array(300).fill('long enough')),
      ),
      name: 'kept',
    },
  ],
];
for (const [what, answer] of HOSTILE) {
  test(`an answer with ${what} is cut until it can be sent, and says so`, () => {
    const fitted = fitAnswer(answer) as { name: string; shortened: string };
    assert.ok(sentBytes(fitted) < LIMIT, `${sentBytes(fitted)} bytes`);
    assert.equal(fitted.name, 'kept');
    assert.match(fitted.shortened, /too long/);
    assert.deepEqual(fitAnswer(answer), fitted, 'the same answer each time');
  });
}

test('any list is cut to what one answer holds, from its beginning', () => {
  const item = fc.record({ name: fc.string(), description: fc.string({ maxLength: 300 }) });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 20 }), fc.integer({ min: 1, max: 3000 }), (some, times) => {
      const items = some.map((one) => ({ ...one, description: one.description.repeat(times) }));
      const fitted = fitList(items);
      assert.ok(sentBytes({ items: fitted }) < LIMIT);
      assert.deepEqual(
        fitted.map(({ name }) => name),
        items.slice(0, fitted.length).map(({ name }) => name),
      );
    }),
    { numRuns: 50 },
  );
  const normal = Array.from({ length: 1000 }, (_, i) => ({ name: `c:${i}`, description: 'x'.repeat(250) }));
  assert.deepEqual(fitList(normal), normal);
});
