import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadProperty } from '../../code/index.ts';
import { correctedReads } from './corrected-reads.ts';

const NO_FUNCTION = 'TypeError: t.map is not a function';
const NOT_ITERABLE = 'TypeError: t is not iterable';

function meant(result: unknown, read: ReadProperty, error = NO_FUNCTION): string[] {
  const { object = 'text', key } = read;
  const text = key === undefined || read.object === undefined ? object : `${object}.${key}`;
  const found = correctedReads(result, { name: 'fs:read', text, read }, error);
  return found.map(({ expression, note }) => (note === undefined ? expression : `${note} ${expression}`));
}

test('a text is read as the JSON that it holds, else by its lines', () => {
  const map = { object: 't', key: undefined, rest: '.map(f)' };
  const json = '`t.content` is text that holds JSON. JSON.parse(t.content)';
  const lines = '`t.content` is text. t.content.split("\\n")';
  assert.deepEqual(meant({ content: '[{"a":1}]' }, map), [`${json}.map(f)`]);
  assert.deepEqual(meant({ content: '{"a":1}' }, map), [`${lines}.map(f)`]);
  assert.deepEqual(meant({ content: '{"a":1}' }, { ...map, rest: '.a' }), [`${json}.a`]);
  assert.deepEqual(meant({ content: 'a\nb' }, map), [`${lines}.map(f)`]);
  assert.deepEqual(meant({ content: 'a' }, { ...map, key: 'entries' }), [`${lines}.map(f)`]);
  assert.deepEqual(meant({ content: 'a' }, { ...map, key: 'content' }), [`${lines}.map(f)`]);
  const iterated = { ...map, rest: '' };
  assert.deepEqual(meant({ content: 'a' }, iterated, NOT_ITERABLE), [lines]);
  assert.deepEqual(meant({ content: '[1]' }, iterated, NOT_ITERABLE), [json]);
  assert.deepEqual(meant('a', map), ['`t` is text. t.split("\\n").map(f)']);
  const named = { object: undefined, key: 'text', rest: '.map(f)' };
  assert.deepEqual(meant({ text: 'a' }, named), ['`text` is text. text.split("\\n").map(f)']);
});

test('only properties are suggested that can take the operation', () => {
  const map = { object: 't', key: 'entries', rest: '.map(f)' };
  assert.deepEqual(meant({ total: 1, items: [] }, map), ['t.items.map(f)']);
  assert.deepEqual(meant({ total: 1 }, map), []);
  assert.deepEqual(meant([], map), ['t.map(f)']);
  assert.deepEqual(meant({ content: 'a' }, { ...map, rest: '.trim()' }), ['t.content.trim()']);
  assert.deepEqual(meant({ content: 'a' }, { ...map, key: undefined, rest: '' }, 'JSON'), ['t.content']);
  // The value is there, and something else is wrong.
  assert.deepEqual(meant({ entries: [1] }, map), []);
});
