import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonSchema } from '../../json.ts';
import { fillArguments } from './fill-arguments.ts';
import { plainValues } from './plain-values.ts';

const text = (more: object = {}): JsonSchema => ({ type: 'string', ...more });
const schema = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

test('an intent states quoted texts, URLs, addresses, paths, dates and numbers', () => {
  const texts = (values: readonly { text: string }[]) => values.map((value) => value.text);
  const found = plainValues(
    `don't copy "two words" and 'it' from ./a/b.txt, ~/c, x.json or and/or e.g. to https://a.b/c?d=1, mail me@x.org (since 2025-12-22) 3 times -4.5`,
  );
  assert.deepEqual(texts(found.quoted), ['two words', 'it']);
  assert.deepEqual(texts(found.paths), ['./a/b.txt', '~/c', 'x.json']);
  assert.deepEqual(texts(found.urls), ['https://a.b/c?d=1']);
  assert.deepEqual(texts(found.emails), ['me@x.org']);
  assert.deepEqual(texts(found.dates), ['2025-12-22']);
  assert.deepEqual(texts(found.numbers), ['3', '-4.5']);
  assert.ok(found.words.includes("don't") && found.words.includes('and/or'));
});

test('values go to the parameters that ask for them, by format, name and place', () => {
  const cases: [schema: JsonSchema, intent: string, args: object, missing?: string[]][] = [
    [schema({ source: text(), destination: text() }), 'copy "a" to "b"', {}, ['source', 'destination']],
    [
      schema({ source_path: text(), target_path: text() }),
      'copy a.txt to b.txt',
      { source_path: 'a.txt', target_path: 'b.txt' },
    ],
    [schema({ title: text(), body: text() }), 'add title "T" and body "B"', { title: 'T', body: 'B' }],
    [schema({ body: text(), title: text() }), 'add title "T" and body "B"', { title: 'T', body: 'B' }],
    [schema({ paths: { type: 'array', items: text() } }), 'read a.md and b.md', { paths: ['a.md', 'b.md'] }],
    [
      schema({ page: { type: 'integer' }, size: { type: 'integer' } }),
      'page 2, size 50',
      { page: 2, size: 50 },
    ],
    [schema({ count: { type: 'integer' } }), 'about 2.5', {}, ['count']],
    [schema({ a: { type: 'number' }, b: { type: 'number' } }), 'add 1 and 2', {}, ['a', 'b']],
    [schema({ mode: { enum: ['fast', 'slow'] } }), 'be fast', { mode: 'fast' }],
    [schema({ mode: { enum: ['fast', 'slow'] } }), 'fast or slow', {}, ['mode']],
    [schema({ q: text(), limit: { type: 'integer' } }, ['q']), 'find "x", limit 5', { q: 'x', limit: 5 }],
    [schema({ since: text() }), 'all since 2025-01-02', { since: '2025-01-02' }],
    [schema({ url: text() }), 'open "https://a.b"', { url: 'https://a.b' }],
    [{ type: 'object', properties: 7, required: 'x' } as unknown as JsonSchema, '"a" 1', {}],
  ];
  for (const [given, intent, args, missing = []] of cases)
    assert.deepEqual(fillArguments(given, intent), { args, missing }, intent);
});

test('every argument that is filled has the type of its parameter, whatever the intent', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '"a b"',
      "'x'",
      'a.txt',
      '/tmp/x',
      'https://a.b',
      'a@b.de',
      '7',
      '-1.5',
      '2025-01-01',
      'path',
      'limit',
      '“q”',
    ),
  );
  const property = fc.constantFrom<JsonSchema>(
    text(),
    text({ format: 'email' }),
    text({ format: 'uri' }),
    { type: 'integer' },
    { type: 'number' },
    { enum: ['a', 'b'] },
    { type: 'array', items: text() },
    { type: 'boolean' },
  );
  const key = fc.constantFrom(
    'path',
    'file',
    'to',
    'url',
    'limit',
    'count',
    'text',
    'paths',
    'mode',
    'since',
    '__proto__',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.dictionary(key, property), (words, properties) => {
      const { args, missing } = fillArguments(schema(properties), words.join(' '));
      for (const [name, value] of Object.entries(args))
        assert.ok(fits(properties[name] as JsonSchema, value));
      for (const name of missing) assert.ok(!Object.hasOwn(args, name));
    }),
  );
});

function fits({ type, enum: choices }: JsonSchema, value: unknown): boolean {
  if (choices) return choices.includes(value as string);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'array' ? Array.isArray(value) : typeof value === type;
}
