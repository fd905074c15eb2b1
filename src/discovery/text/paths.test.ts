import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../testing/effort.ts';
import { shortenPaths } from './paths.ts';

test('a path is told by its last part', () => {
  assert.equal(shortenPaths('Copy /home/ana/a.txt to "~/b/c d".'), 'Copy a.txt to "c d".');
  assert.equal(shortenPaths('in ./src/ and C:\\work\\x.md'), 'in src and x.md');
});

test('what only has a slash in it stays', () => {
  for (const text of ['and/or', 'https://example.org/a/b', '10 km/h', 'a / b', 'src/main.ts'])
    assert.equal(shortenPaths(text), text);
});

test('any path is shortened to its last folder or file', () => {
  const part = fc.string({ unit: fc.constantFrom(...'abc._-1'), minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
      assert.equal(shortenPaths(`read /${parts.join('/')} now`), `read ${parts.at(-1)} now`);
    }),
    runs(200),
  );
});
