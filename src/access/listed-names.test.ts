import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldToolName, listedNames, MAX_LISTED, type Nameable } from './listed-names.ts';

const item = fc.record({
  server: fc.oneof(fc.constantFrom('a', 'a__b', 'a.b', 'fs'), fc.string({ minLength: 1, maxLength: 70 })),
  name: fc.oneof(
    fc.constantFrom('b', 'b__c', 'c', 'dup.x', 'dup x', 'dup_x'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
  ),
  prefix: fc.boolean(),
});
const STYLES = ['mcp', 'short'] as const;
const items = fc.uniqueArray(item, { selector: ({ server, name }) => `${server}:${name}`, maxLength: 40 });

test('listed names are portable, short enough and unique, whatever servers call their tools', () => {
  fc.assert(
    fc.property(items, (list) => {
      for (const style of STYLES) {
        const names = listedNames(list, style);
        assert.equal(new Set(names).size, list.length);
        for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,54}$/);
      }
    }),
  );
});

test('a name does not depend on the order in which servers connect', () => {
  fc.assert(
    fc.property(items, fc.infiniteStream(fc.nat()), fc.constantFrom(...STYLES), (list, random, style) => {
      const shuffled = list
        .map((one) => ({ one, at: random.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one);
      const named = (of: Nameable[]) =>
        new Map(listedNames(of, style).map((name, i) => [`${of[i]?.server}:${of[i]?.name}`, name]));
      assert.deepEqual([...named(shuffled)].sort(), [...named(list)].sort());
    }),
  );
});

test('a portable name stays as it is', () => {
  const names = listedNames([
    { server: 'fs', name: 'read_json', prefix: true },
    { server: 'fs', name: 'read-json', prefix: true },
    { server: 'one', name: 'get-sum', prefix: false },
  ]);
  assert.deepEqual(names, ['mcp__fs__read_json', 'mcp__fs__read-json', 'get-sum']);
  assert.deepEqual(listedNames([{ server: 'fs', name: 'read_json', prefix: true }], 'short'), [
    'fs__read_json',
  ]);
});

test('if two names clash, the one spelt exactly so keeps it', () => {
  const [plain, odd] = listedNames([
    { server: 's', name: 'dup_x', prefix: true },
    { server: 's', name: 'dup.x', prefix: true },
  ]);
  assert.equal(plain, 'mcp__s__dup_x');
  assert.match(odd as string, /^mcp__s__dup_x_[0-9a-f]{6}$/);
});

test('a name that is too long ends in a hash of the full name', () => {
  const long = 'very_long_tool_name_'.repeat(5);
  const [a, b] = listedNames([
    { server: 's', name: `${long}a`, prefix: true },
    { server: 's', name: `${long}b`, prefix: true },
  ]);
  assert.equal(a?.length, MAX_LISTED);
  assert.notEqual(a, b);
});

test('all usual spellings fold to one', () => {
  const spellings = [
    'mcp__fs__read_json',
    'fs:read_json',
    'fs:readJson',
    'FS:read-json',
    'mcp:fs:read_json',
    'fs__readJSON',
  ];
  assert.equal(new Set(spellings.map(foldToolName)).size, 1);
});
