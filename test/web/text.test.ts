import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readFields, readValue } from '../../web/src/components/read-schema.ts';
import { duration, percent } from '../../web/src/text/format.ts';
import { visible } from '../../web/src/text/visible.ts';
import { ForceLayout } from '../../web/src/views/graph/force-layout.ts';

test('characters that hide or reorder a text are shown', () => {
  assert.equal(visible('a\u202egnp.exe'), 'a⟨U+202E⟩gnp.exe');
  assert.equal(visible('nul\u0000 bell\u0007 escape\u001b[31m'), 'nul␀ bell␇ escape␛[31m');
  assert.equal(visible('zero\u200bwidth \u{e0041}tag'), 'zero⟨U+200B⟩width ⟨U+E0041⟩tag');
  assert.equal(visible('half \ud83d'), 'half \ufffd');
  assert.equal(visible('lines\r\nand\ttabs\n'), 'lines\nand\ttabs\n');
  assert.equal(visible('👩‍💻 déjà vu مرحبا'), '👩‍💻 déjà vu مرحبا');
});

test('no text holds a hidden character once it is visible', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      assert.doesNotMatch(visible(text), /(?![\n\t\u200d])[\p{Cc}\p{Cf}]/u);
    }),
    { numRuns: 50 },
  );
});

test('a rate is 100 % only if nothing failed, and durations keep their unit short', () => {
  assert.deepEqual([1, 0.99996, 0.985, 0, null].map(percent), ['100%', '99.9%', '98.5%', '0%', '–']);
  const shown = [0, 0.4, 7.25, 812, 1500, 61_000, 7_500_000, null].map(duration);
  assert.deepEqual(shown, ['0 ms', '<1 ms', '7.3 ms', '812 ms', '1.5 s', '1 m 1 s', '2 h 5 m', '–']);
});

test('a form has a field for each parameter, whatever the schema holds', () => {
  const fields = readFields({
    properties: {
      path: { type: 'string', description: 'Where', examples: ['/a'] },
      limit: { type: 'integer', default: 3 },
      deep: { type: 'boolean' },
      mode: { enum: ['a', 'b'] },
      more: { type: 'object', default: { a: 1 } },
      odd: null,
    },
    required: ['path', 'more'],
  });
  assert.deepEqual(
    fields.map(({ name, kind, isRequired, initial }) => [name, kind, isRequired, initial]),
    [
      ['path', 'text', true, ''],
      ['limit', 'number', false, '3'],
      ['deep', 'boolean', false, ''],
      ['mode', 'choice', false, ''],
      ['more', 'json', true, '{\n  "a": 1\n}'],
      ['odd', 'json', false, ''],
    ],
  );
  const values = ['/tmp', '7', 'true', '"b"', '{"a":2}', ''].map((text, index) =>
    readValue(fields[index] as (typeof fields)[number], text),
  );
  assert.deepEqual(values, ['/tmp', 7, true, 'b', { a: 2 }, undefined]);
  assert.throws(() => readValue(fields[1] as (typeof fields)[number], 'seven'), /must be a number/);
  assert.throws(() => readValue(fields[4] as (typeof fields)[number], ''), /required/);
  for (const schema of [null, 7, 'text', [], { properties: [] }, { properties: { a: 1 }, required: 'a' }]) {
    assert.doesNotThrow(() => readFields(schema));
  }
});

test('the layout ends with every node at a place of its own, and joined ones near', () => {
  const count = 300;
  const edges = Uint32Array.from({ length: 2 * (count - 1) }, (_, at) =>
    at % 2 === 0 ? (at / 2) % 10 : at / 2 + 0.5,
  );
  const layout = new ForceLayout({
    count,
    edges,
    groups: Uint32Array.from({ length: count }, (_, at) => at % 10),
  });
  let steps = 0;
  while (layout.step() > 0.03) steps++;
  assert.ok(steps < 1000, `${steps} steps`);
  const places = new Set(
    Array.from({ length: count }, (_, node) => layout.positions.slice(2 * node, 2 * node + 2).join()),
  );
  assert.equal(places.size, count);
  assert.ok(layout.positions.every(Number.isFinite));
});
