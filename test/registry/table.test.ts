import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const CRITERIA = { '13.1': 10, '13.3': 11, '13.5': 11, '13.6': 10, '13.7': 5, '13.8': 8, '13.9': 7 };

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const count = (length: number, from = 1) => Array.from({ length }, (_, at) => at + from);

/** Every requirement that needs a test. */
const WANTED = [
  ...count(46, 14).map((n) => `FR${String(n).padStart(3, '0')}`),
  ...Object.entries(CRITERIA).flatMap(([story, length]) => count(length).map((n) => `${story} AC${n}`)),
];

interface Row {
  requirement: string;
  file: string;
  title: string;
}

function rowsOf(table: string): Row[] {
  return [...table.matchAll(/^\| ([^|]+) \| `([^`]+)` \| (.+) \|$/gm)].map(
    ([, requirement, file, title]) => ({
      requirement: requirement as string,
      file: file as string,
      title: title as string,
    }),
  );
}

/** The numbers that a title carries: `FR031, 13.1 AC8, AC9: …`. */
function numbersIn(title: string): string[] {
  const criteria = [...title.matchAll(/(\d+\.\d+) (AC\d+(?:, AC\d+)*)/g)].flatMap(([, story, all]) =>
    (all as string).split(', ').map((one) => `${story} ${one}`),
  );
  return [...(title.match(/FR\d{3}/g) ?? []), ...criteria];
}

/** Tells whether the file declares a test with this title. */
function declares(source: string, title: string): boolean {
  return ["'", '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}

/** Tells whether a file runs its tests on PGlite and on PostgreSQL, with a real client. */
function isOnBothEngines(file: string): boolean {
  return (
    read(file).includes('onEachStore(') ||
    read('test/execute/stories.test.ts').includes(`./${basename(file)}'`)
  );
}

function problemsOf(rows: readonly Row[]): string[] {
  const shown = new Set(rows.map(({ requirement }) => requirement));
  const missing = WANTED.filter((number) => !shown.has(number)).map(
    (number) => `${number} is not in the table`,
  );
  const wrong = rows.flatMap(({ requirement, file, title }) => {
    if (!declares(read(file), title)) return [`${requirement}: ${file} has no test "${title}"`];
    if (!WANTED.includes(requirement)) return [];
    if (!numbersIn(title).includes(requirement)) return [`${requirement} is not in the name "${title}"`];
    return isOnBothEngines(file) ? [] : [`${requirement}: ${file} does not run on both engines`];
  });
  return [...missing, ...wrong];
}

const rows = rowsOf(read('docs/registry-tests.md'));

test('every requirement of the registry is in the table, with a test that carries its number', () => {
  assert.ok(rows.length > WANTED.length);
  assert.deepEqual(problemsOf(rows), []);
});

test('a row that is missing, names no test or another requirement is found', () => {
  const [first, ...rest] = rows as [Row, ...Row[]];
  const others = rest.filter(({ requirement }) => requirement !== first.requirement);
  assert.deepEqual(problemsOf(others), [`${first.requirement} is not in the table`]);
  assert.equal(problemsOf([...rows, { ...first, title: 'no such test' }]).length, 1);
  assert.equal(problemsOf([...rows, { ...first, requirement: '13.9 AC7' }]).length, 1);
  assert.equal(problemsOf([...rows, { ...first, file: 'src/registry/views/query.test.ts' }]).length, 1);
});
