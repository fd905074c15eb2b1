import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { anchorsOf, linksOf, type Page, parsePage, ROOT, readPages } from './markdown.ts';

const pages = readPages('*.md', 'docs/**/*.md', 'examples/**/*.md');

/** Returns the links of a page that lead nowhere: a missing file, or a heading that the page it names does not have. */
function brokenLinks(page: Page, all: readonly Page[], exists: (path: string) => boolean): string[] {
  return linksOf(page).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? page.path : normalize(join(dirname(page.path), decodeURI(file)));
    if (path.startsWith('..') || !exists(path)) return true;
    const target = all.find((each) => each.path === path);
    return anchor !== undefined && !(target && anchorsOf(target).includes(anchor));
  });
}

test('a link to a missing file, heading or image is found', () => {
  const text =
    '# A `b` page!\n## Two\n## Two\n[a](#a-b-page) [b](#two-1) [c](#two-2) [d](x.md) ![e](e.png) [f](../README.md) `[g](g.md)`';
  const page = parsePage('docs/a.md', text);
  const broken = brokenLinks(page, [page], (path) => path === 'docs/a.md' || path === 'README.md');
  assert.deepEqual(broken, ['#two-2', 'x.md', 'e.png']);
});

test('every link and anchor of the documents resolves', () => {
  const exists = (path: string) => existsSync(join(ROOT, path));
  const broken = pages.flatMap((page) =>
    brokenLinks(page, pages, exists).map((link) => `${page.path}: ${link}`),
  );
  assert.ok(pages.flatMap(linksOf).length > 60);
  assert.deepEqual(broken, []);
});

test('the index of docs/ names every page', () => {
  const index = pages.find(({ path }) => path === 'docs/README.md') as Page;
  const linked = new Set(linksOf(index).map((link) => join('docs', link)));
  const missing = pages.filter(
    ({ path }) => /^docs\/[^/]+\.md$/.test(path) && !linked.has(path) && path !== index.path,
  );
  assert.deepEqual(
    missing.map(({ path }) => path),
    [],
  );
});
