import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../testing/effort.ts';
import { isReadOnlyTool } from '../schema/read-only-tool.ts';
import { type NamedPlace, nameByRole } from './name-by-role.ts';

/** Reads `fs:read_file address.zip`. */
function place(text: string): NamedPlace {
  const [tool, path = ''] = text.split(' ');
  const keys = path.split('.');
  return {
    key: keys.pop(),
    within: keys,
    tool: tool || undefined,
    isReadOnly: isReadOnlyTool({ name: tool ?? '' }),
  };
}

function named(places: readonly string[], taken: readonly string[] = []): string[] {
  return nameByRole(places.map(place), taken);
}

test('a key that occurs once is the name', () => {
  assert.deepEqual(named(['fs:mv source', 'fs:mv destination']), ['source', 'destination']);
});

test('a program that reads one place and writes another has a source and a target', () => {
  assert.deepEqual(named(['fs:read_file path', 'fs:write_file path']), ['source_path', 'target_path']);
  assert.deepEqual(named(['fs:read_file encoding', 'fs:write_file encoding']), [
    'read_encoding',
    'write_encoding',
  ]);
});

test('values of one key are told apart by their object, tool or server', () => {
  assert.deepEqual(named(['shop:order billing.zip', 'shop:order shipping.zip']), [
    'billing_zip',
    'shipping_zip',
  ]);
  assert.deepEqual(named(['a:get_weather city', 'b:book_hotel city']), ['weather_city', 'hotel_city']);
  assert.deepEqual(named(['fs:cp source', 'fs:mv source']), ['cp_source', 'mv_source']);
  assert.deepEqual(named(['github:search owner', 'gitlab:search owner']), ['github_owner', 'gitlab_owner']);
  assert.deepEqual(named(['fs:readFile path', 'fs:list-dir path']), ['file_path', 'dir_path']);
});

test('calls of one tool are told apart by their order', () => {
  assert.deepEqual(named(['fs:cd to', 'fs:cd to', 'fs:mkdir to']), [
    'first_cd_to',
    'second_cd_to',
    'mkdir_to',
  ]);
  const many = named(Array.from({ length: 23 }, () => 'fs:cd to'));
  assert.deepEqual([many[0], many[19], many[22]], ['first_to', 'twentieth_to', 'twenty_third_to']);
});

test('an argument of the code keeps its name', () => {
  assert.deepEqual(named(['fs:write path'], ['path']), ['write_path']);
  assert.deepEqual(named([' path'], ['path']), ['second_path']);
  assert.deepEqual(named(['fs:a write_path', 'fs:write path', 'fs:read path']), [
    'write_path',
    'fs_write_path',
    'fs_read_path',
  ]);
});

test('names are unique, valid and never an argument of the code', () => {
  const word = fc.constantFrom(
    'path',
    'a-b',
    '9',
    '__proto__',
    'constructor',
    '',
    'read_path',
    'x'.repeat(60),
    'ß',
  );
  const places = fc.record({
    key: fc.option(word, { nil: undefined }),
    within: fc.array(word, { maxLength: 2 }),
    tool: fc.option(
      fc.tuple(word, word).map((parts) => parts.join(':')),
      { nil: undefined },
    ),
    isReadOnly: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(places, { maxLength: 12 }), fc.array(word), (all, taken) => {
      const names = nameByRole(all, taken);
      assert.equal(new Set([...names, ...taken]).size, names.length + new Set(taken).size);
      for (const name of names) {
        assert.match(name, /^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
        assert.ok(!(name in Object.prototype), name);
      }
      assert.deepEqual(nameByRole(all, taken), names);
    }),
    runs(500),
  );
});
