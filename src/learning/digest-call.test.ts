import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Json } from '../json.ts';
import { leastCpuOf } from '../testing/cpu-time.ts';
import { digestCall } from './digest-call.ts';

test('a digest holds no value, neither of the arguments nor of the result', () => {
  const digest = digestCall({
    name: 's:t',
    args: { user: 'ana-of-acme', pin: 4711471147, list: ['hunter2-hunter2'] },
    result: { token: 'a9s8d7f6g5h4', rows: [{ id: 'CUS-1001' }] },
  });
  const text = inspect(digest, { depth: 9 });
  assert.match(text, /token/);
  // Long enough not to stand in a hash by chance.
  for (const secret of ['ana-of-acme', '4711471147', 'hunter2-', 'a9s8d7f6g5h4', 'CUS-1001'])
    assert.ok(!text.includes(secret), secret);
});

test('equal values have equal tokens, and others do not', () => {
  const tokens = (args: Json) => digestCall({ name: 's:t', args, result: null })?.tokens;
  assert.deepEqual(tokens({ a: 'x', b: [1, { c: 2, d: 3 }] }), tokens({ b: [1, { d: 3, c: 2 }], a: 'x' }));
  const [text, number, list] = [tokens({ a: '1' }), tokens({ a: 1 }), tokens({ a: [1] })].map(
    (one) => one?.[0],
  );
  assert.equal(new Set([text, number, list]).size, 3);
});

const REFUSED: Record<string, Json> = {
  'arguments that are a document': { text: 'x'.repeat(70_000) },
  'too many arguments': Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`key${index}`, 1])),
  'arguments that code cannot write': JSON.parse('{"a": {"__proto__": {"b": 1}}}'),
  'arguments that are no object': ['a'],
};
for (const [what, args] of Object.entries(REFUSED)) {
  test(`no program is made of ${what}`, () => {
    assert.equal(digestCall({ name: 's:t', args, result: null }), undefined);
  });
}

test('a large result brings in nothing, and costs bounded time', async () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => ({ id: `CUS-${index}` }));
  const ms = await leastCpuOf(
    () => assert.equal(digestCall({ name: 's:t', args: {}, result: rows })?.origins.size, 0),
    500,
  );
  assert.ok(ms < 500, `${ms} ms`);
});
