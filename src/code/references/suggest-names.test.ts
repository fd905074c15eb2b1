import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestNames } from './suggest-names.ts';

test('suggestions are near, few and best first', () => {
  const names = ['fs:read_file', 'fs:read_dir', 'fs:write_file', 'gh:read_file', 'slack:post'];
  assert.equal(suggestNames('fs:raedFile', names)[0], 'fs:read_file');
  assert.deepEqual(suggestNames('filesystem:read_file', names).slice(0, 2), ['fs:read_file', 'gh:read_file']);
  assert.ok(suggestNames('fs:read', names).includes('fs:read_dir'));
  assert.deepEqual(suggestNames('zzz:qqq', names), []);
  assert.equal(
    suggestNames(
      'fs:read_file',
      Array.from({ length: 50 }, (_, n) => `fs:read_file${n}`),
    ).length,
    3,
  );
});
