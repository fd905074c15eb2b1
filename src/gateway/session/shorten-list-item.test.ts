import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../json.ts';
import { fitItem, MAX_ITEM_BYTES } from './shorten-list-item.ts';

const LONG = 'x'.repeat(12_000_000);
const bytesOf = (item: unknown) => Buffer.byteLength(JSON.stringify(item));

test('a small item is listed unchanged', () => {
  const tool = { name: 'a', description: 'does', inputSchema: { type: 'object' }, _meta: { of: 'its own' } };
  const { item, bytes } = fitItem(tool, 'name');
  assert.equal(item, tool);
  assert.equal(bytes, bytesOf(tool));
});

test('a long description is cut, and the schema stays', () => {
  const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
  const { item } = fitItem({ name: 'a', description: LONG, inputSchema }, 'name');
  assert.deepEqual(item?.inputSchema, inputSchema);
  assert.match(String(item?.description), /^x{2000}… \(11998000 characters left out\)$/);
});

const properties = Object.fromEntries(
  Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }]),
);
const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
const LARGE: Record<string, JsonObject> = {
  'a large schema': { type: 'object', properties },
  'a schema nested 20,000 deep': deep,
  'a schema with one very long text': { type: 'object', title: LONG },
};
for (const [what, inputSchema] of Object.entries(LARGE)) {
  test(`${what} is listed as any object, and small members stay`, () => {
    const tool = { name: 'a', annotations: { readOnlyHint: true }, inputSchema, outputSchema: inputSchema };
    const { item, bytes } = fitItem(tool, 'name');
    assert.deepEqual(item, {
      name: 'a',
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object' },
    });
    assert.equal(bytes, bytesOf(item));
  });
}

test('an item with too many members keeps only its name and description', () => {
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`x${i}`, i]));
  const { item } = fitItem({ uri: 'a:b', name: LONG, title: 'T', ...members }, 'uri');
  assert.deepEqual(Object.keys(item ?? {}), ['uri', 'name', 'title']);
  assert.ok(bytesOf(item) < MAX_ITEM_BYTES);
});

test('an item whose own name is too long to send is not listed', () => {
  assert.equal(fitItem({ uri: LONG, name: 'a' }, 'uri').item, undefined);
});
