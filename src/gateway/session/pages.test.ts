import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DirectoryEntry } from '../../access/index.ts';
import { PAGE_BYTES, PAGE_SIZE, pageOf } from './pages.ts';

const entry = (name: string) => ({ listed: { name }, own: name }) as unknown as DirectoryEntry;
const sorted = (names: Iterable<string>) => [...new Set(names)].sort((a, b) => (a < b ? -1 : 1)).map(entry);

function walk(pages: (cursor: string | undefined) => ReturnType<typeof pageOf>): string[] {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = pages(cursor);
    names.push(...items.map(({ name }) => String(name)));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return names;
}

test('walking the pages gives the whole list once', () => {
  const entries = sorted(Array.from({ length: 2 * PAGE_SIZE + 7 }, (_, i) => `tool_${i}`));
  const names = walk((cursor) => pageOf(entries, 'name', cursor));
  assert.deepEqual(
    names,
    entries.map(({ listed }) => listed.name),
  );
});

test('a list that changes between two pages neither repeats nor skips what stayed', () => {
  const stable = Array.from({ length: PAGE_SIZE + 50 }, (_, i) => `t${String(i).padStart(5, '0')}`);
  const change = fc.uniqueArray(fc.stringMatching(/^t\d{5}x$/), { maxLength: 200 });
  fc.assert(
    fc.property(change, change, (before, after) => {
      const lists = [sorted([...stable, ...before]), sorted([...stable, ...after])];
      let turn = 0;
      const names = walk((cursor) => pageOf(lists[Math.min(turn++, 1)] as DirectoryEntry[], 'name', cursor));
      assert.equal(new Set(names).size, names.length);
      for (const name of stable) assert.ok(names.includes(name));
    }),
    { numRuns: 30 },
  );
});

test('pages of large items hold fewer of them, and still give the whole list once', () => {
  const names = Array.from({ length: 300 }, (_, i) => `tool_${String(i).padStart(3, '0')}`);
  const entries = names.map((name, i) => {
    const description = i % 3 === 0 ? 'x'.repeat(12_000_000) : '漢'.repeat((i % 7) * 1500);
    return { listed: { name, description }, own: name } as unknown as DirectoryEntry;
  });
  const seen = walk((cursor) => {
    const one = pageOf(entries, 'name', cursor);
    assert.ok(Buffer.byteLength(JSON.stringify(one)) < PAGE_BYTES + 1000);
    return one;
  });
  assert.deepEqual(seen, names);
});

test('resources whose URI is too long to send are left out, wherever they stand', () => {
  const long = (first: string) => first + 'x'.repeat(1_000_000);
  const uris = [long('a'), 'b', long('c'), long('d'), 'e', long('f')];
  const entries = uris.map((uri) => ({ listed: { uri }, own: uri }) as unknown as DirectoryEntry);
  assert.deepEqual(pageOf(entries, 'uri', undefined), { items: [{ uri: 'b' }, { uri: 'e' }] });
});

test('a cursor that was not given out is refused', () => {
  for (const cursor of ['', '!!', 7, null, 'a'.repeat(5)]) {
    assert.throws(() => pageOf(sorted(['a']), 'name', cursor), /Invalid cursor/);
  }
});
