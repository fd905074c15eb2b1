import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Upstream } from '../upstream/index.ts';
import { type DirectoryEntry, NameIndex } from './name-index.ts';

function entryOf(server: string, own: string, prefix = true): DirectoryEntry {
  // Of a server only its name and its prefix matter here.
  const upstream = { name: server, server: { prefix } } as Upstream;
  return { upstream, own, listed: { name: own } };
}

const keyOf = ({ upstream, own }: DirectoryEntry) => `${upstream.name}:${own}`;
const STYLES = ['mcp', 'short'] as const;

test('in each style a tool is found by all of its spellings', () => {
  const long = 'a_very_long_tool_name_that_does_not_fit_into_a_list_of_tools';
  for (const style of STYLES) {
    const index = new NameIndex('tool', [entryOf('fs', 'read_json'), entryOf('fs', long)], style);
    const spellings = [
      'mcp__fs__read_json',
      'fs__read_json',
      'fs:read_json',
      'fs:readJson',
      'mcp:fs:read_json',
    ];
    for (const spelling of spellings) assert.equal(index.find(spelling).own, 'read_json', spelling);
    const [other] = new NameIndex('tool', [entryOf('fs', long)], style === 'mcp' ? 'short' : 'mcp').entries;
    assert.equal(index.find(String(other?.listed.name)).own, long);
  }
});

test('names that clash in a short list stay apart', () => {
  const entries = [
    entryOf('a', 'b__c'),
    entryOf('a__b', 'c'),
    entryOf('plain', 'a__b__c', false),
    entryOf('mcp', 'fs__read'),
    entryOf('fs', 'read'),
  ];
  const index = new NameIndex('tool', entries, 'short');
  assert.equal(new Set(index.entries.map(({ listed }) => listed.name)).size, entries.length);
  for (const one of index.entries) assert.equal(keyOf(index.find(String(one.listed.name))), keyOf(one));
});

test('whatever tools are called, a listed name finds its tool, and so does its name in the other style unless it is listed', () => {
  const item = fc.tuple(
    fc.constantFrom('a', 'a__b', 'a.b', 'mcp', 'fs'),
    fc.oneof(fc.constantFrom('b', 'b__c', 'c', 'mcp__a'), fc.string({ minLength: 1, maxLength: 60 })),
    fc.boolean(),
  );
  const items = fc.uniqueArray(item, { selector: ([server, own]) => `${server}:${own}`, maxLength: 15 });
  fc.assert(
    fc.property(items, fc.constantFrom(...STYLES), (list, style) => {
      const entries = list.map(([server, own, prefix]) => entryOf(server, own, prefix));
      const index = new NameIndex('tool', entries, style);
      const other = new NameIndex('tool', entries, style === 'mcp' ? 'short' : 'mcp');
      const listed = new Set(index.entries.map((one) => one.listed.name));
      for (const one of index.entries) assert.equal(keyOf(index.find(String(one.listed.name))), keyOf(one));
      for (const one of other.entries) {
        const { name } = one.listed;
        // A listed name, or an exact `server:name`, wins.
        if (listed.has(name) || index.has(String(name))) continue;
        assert.equal(keyOf(index.find(String(name))), keyOf(one));
      }
    }),
  );
});
