import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, readPages } from './docs/markdown.ts';

/** Names in the documents that are examples of a user's files: those that a block shows, and `read.ts`. */
const EXAMPLES = new Set([
  'read.ts',
  ...readPages('README.md', 'docs/*.md').flatMap(({ blocks }) => blocks.flatMap(({ file }) => file ?? [])),
]);

/** Finds the paths in inline code that end in .ts, .tsx or .js, also within a command line. */
function pathsIn(page: string): string[] {
  const code = Array.from(page.matchAll(/`([^`\n]+)`/g), ([, span]) => span as string);
  return code
    .flatMap((span) => span.split(/[\s'"]+/))
    .filter((word) => /^[\w.][\w./*-]*\.(?:tsx?|js)$/.test(word) && !EXAMPLES.has(word));
}

/** Finds a file by a path from the root, from src, or from any folder: `store/lock.ts`, `lock.ts`. */
function isThere(path: string, files: readonly string[]): boolean {
  const pattern = new RegExp(`(^|/)${path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')}$`);
  return files.some((file) => pattern.test(file));
}

test('paths are found in commands too, and a missing file is noticed', () => {
  const page = 'See `src/a.ts`, `<file>.test.ts` and `node --test b/c.test.ts`.';
  assert.deepEqual(pathsIn(page), ['src/a.ts', 'b/c.test.ts']);
  const files = ['src/store/lock.ts', 'test/execute/story-13-1.ts'];
  const found = ['lock.ts', 'store/lock.ts', 'execute/story-*.ts', 'ock.ts', 'src/lock.ts'].map((path) =>
    isThere(path, files),
  );
  assert.deepEqual(found, [true, true, true, false, false]);
});

test('every source file that the documents name exists', () => {
  const files = globSync(['{src,web,test,bench,scripts,bin,examples}/**/*.{ts,tsx,js}'], { cwd: ROOT });
  const pages = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md'], { cwd: ROOT });
  const missing = pages.flatMap((page) =>
    pathsIn(readFileSync(join(ROOT, page), 'utf8')).flatMap((path) =>
      isThere(path, files) ? [] : [`${page}: ${path}`],
    ),
  );
  assert.ok(pages.length > 15 && files.length > 300);
  assert.deepEqual(missing, []);
});
