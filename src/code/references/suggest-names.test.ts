import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastCpuOf } from '../../testing/cpu-time.ts';
import { suggestNames } from './suggest-names.ts';

test('suggestions are near, few and best first', () => {
  const names = ['fs:read_file', 'fs:read_dir', 'fs:write_file', 'gh:read_file', 'slack:post'];
  assert.equal(suggestNames('fs:raedFile', names)[0], 'fs:read_file');
  assert.deepEqual(suggestNames('filesystem:read_file', names).slice(0, 2), ['fs:read_file', 'gh:read_file']);
  assert.ok(suggestNames('fs:read', names).includes('fs:read_dir'));
  assert.deepEqual(suggestNames('zzz:qqq', names), []);
  assert.deepEqual(suggestNames('nope:x', ['both:x']), []);
  assert.equal(
    suggestNames(
      'fs:read_file',
      Array.from({ length: 50 }, (_, n) => `fs:read_file${n}`),
    ).length,
    3,
  );
});

test('the time is bounded, however many long names there are', async () => {
  const long = Array.from({ length: 2000 }, (_, n) => `server:${'list_all_things_'.repeat(12)}${n}`);
  for (const length of [40, 128, 190]) {
    const names = long.map((name, n) => `${name.slice(0, length - 4)}${n}`);
    const meant = (names[9] as string).replace('list', 'lsit');
    const ms = await leastCpuOf(() => suggestNames(meant, names), 250);
    assert.ok(ms < 250, `${length}: ${ms} ms`);
  }
  assert.deepEqual(suggestNames('x'.repeat(1_000_000), ['x'.repeat(999_999)]), []);
});
