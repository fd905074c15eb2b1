import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = 'docs/requirements.md';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const range = (length: number, from = 1) => Array.from({ length }, (_, at) => at + from);

/** The criteria of each story. The story 13.2 has no fifth, and the epic's version of it five of its own. */
const CRITERIA: Record<string, readonly number[]> = {
  '13.1': range(10),
  '13.2': range(10).filter((n) => n !== 5),
  '13.2 epic': range(5),
  '13.3': range(11),
  '13.4': range(11),
  '13.5': range(11),
  '13.6': range(10),
  '13.7': range(5),
  '13.8': range(8),
  '13.9': range(7),
  spec: range(15),
};

/** Every requirement that is built. */
const REQUIRED = [
  ...range(59).map((n) => `FR${String(n).padStart(3, '0')}`),
  ...Object.entries(CRITERIA).flatMap(([story, numbers]) => numbers.map((n) => `${story} AC${n}`)),
  'ADR-052',
];

/** The requirements of the registry. Each must have a test on both databases. */
const OF_REGISTRY = /^(?:FR|13\.)/;

interface Row {
  number: string;
  asks: string;
  files: string[];
  /** Numbers that ask the same. */
  same: string[];
}

/** Reads the rows of every table whose last column names files. */
function rowsOf(page: string): Row[] {
  const rows = page.matchAll(/^\| (?!number|topic)([^|]+) \| ([^|]+) \| ([^|]*) \|$/gm);
  return Array.from(rows, ([, number, asks, files]) => ({
    number: number as string,
    asks: asks as string,
    files: Array.from((files as string).matchAll(/`([^`]+)`/g), ([, file]) => file as string),
    same: Array.from((files as string).matchAll(/FR\d{3}|13\.\d AC\d+/g), ([same]) => same),
  }));
}

/** Reads the numbers at the start of a title: `FR031, 13.1 AC8, AC9: …` and `13.6-AC2 …`. */
function numbersIn(title: string): string[] {
  let story = '';
  const numbers: string[] = [];
  for (const [token] of title.matchAll(/FR\d{3}|ADR-\d+|\b13\.\d\b|\bspec\b|\bepic\b|AC\d+/g)) {
    if (/^(?:FR|ADR)/.test(token)) numbers.push(token);
    else if (token.startsWith('13') || token === 'spec') story = token;
    else if (token === 'epic') story = `${story} epic`;
    else numbers.push(`${story} ${token}`);
  }
  return numbers;
}

/** Finds the titles in a source that begin with a number. */
function numberedTitles(source: string): string[] {
  return Array.from(
    source.matchAll(/['"`]((?:FR\d{3}|13\.\d|spec AC|ADR-\d)[^'"`\n]*)['"`]/g),
    ([, title]) => title as string,
  );
}

/** Maps each file to the numbers that its titles carry. */
function citedNumbers(): Map<string, Set<string>> {
  const files = globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: ROOT });
  const others = files.filter((file) => basename(file) !== basename(import.meta.filename));
  return new Map(others.map((file) => [file, new Set(numberedTitles(read(file)).flatMap(numbersIn))]));
}

/** The file's tests can run against PML on PGlite and on PostgreSQL, with a real client. */
function isOnBothEngines(file: string): boolean {
  return (
    read(file).includes('onEachStore(') ||
    read('test/execute/stories.test.ts').includes(`./${basename(file)}'`)
  );
}

function problemsOf(rows: readonly Row[], cited: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const shown = new Set(rows.flatMap(({ number, files }) => files.map((file) => `${number} ${file}`)));
  const unlisted = [...cited].flatMap(([file, numbers]) =>
    [...numbers]
      .filter((number) => !shown.has(`${number} ${file}`))
      .map((number) => `${PAGE} does not list ${file} for ${number}`),
  );
  const known = new Set([...cited.values()].flatMap((numbers) => [...numbers]));
  const listed = new Set(rows.map(({ number }) => number));
  const wrong = rows.flatMap((row) => [
    ...rowProblems(row, cited, known),
    ...row.same.filter((same) => !listed.has(same)).map((same) => `${row.number}: ${same} is not in ${PAGE}`),
  ]);
  const missing = REQUIRED.filter((number) => !listed.has(number)).map(
    (number) => `${number} is not in ${PAGE}`,
  );
  return [...missing, ...unlisted, ...wrong];
}

function rowProblems(
  { number, files, same }: Row,
  cited: ReadonlyMap<string, ReadonlySet<string>>,
  known: ReadonlySet<string>,
): string[] {
  const absent = files.filter((file) => !existsSync(join(ROOT, file)));
  if (files.length === 0 && same.length === 0) return [`${number} names no test`];
  if (absent.length > 0) return absent.map((file) => `${number}: there is no ${file}`);
  // A topic such as "races" has no number.
  if (!known.has(number) && !REQUIRED.includes(number)) return [];
  const silent = files.filter((file) => !cited.get(file)?.has(number));
  const uncited = silent.map((file) => `${number}: no title in ${file} carries it`);
  if (!OF_REGISTRY.test(number)) return uncited;
  const oneEngine = files.filter((file) => file.startsWith('test/') && !isOnBothEngines(file));
  return [
    ...uncited,
    ...oneEngine.map((file) => `${number}: ${file} does not run on both databases`),
    ...(files.some((file) => file.startsWith('test/')) ? [] : [`${number} has no test through a client`]),
  ];
}

const rows = rowsOf(read(PAGE));
const cited = citedNumbers();

test('every number that a test title carries is explained, with the files that show it', () => {
  assert.ok(rows.length > REQUIRED.length && cited.size > 100);
  assert.deepEqual(problemsOf(rows, cited), []);
  assert.deepEqual(
    rows.filter(({ asks }) => asks.trim().length < 15),
    [],
  );
});

test('a number without a row, a missing file and a file without the number are found', () => {
  const [first, ...rest] = rows as [Row, ...Row[]];
  assert.ok(problemsOf(rest, cited).includes(`${first.number} is not in ${PAGE}`));
  const more = (row: Partial<Row>) => problemsOf([...rows, { ...first, ...row }], cited);
  assert.deepEqual(more({}), []);
  assert.equal(more({ files: ['test/registry/none.test.ts'] }).length, 1);
  assert.equal(more({ files: [] }).length, 1);
  assert.equal(more({ number: 'spec AC1', files: [], same: ['13.9 AC99'] }).length, 1);
  assert.equal(more({ number: '13.9 AC7', files: ['test/registry/merging.test.ts'] }).length, 1);
  assert.equal(problemsOf(rows, new Map([...cited, ['src/x.test.ts', new Set(['FR042'])]])).length, 1);
});

test('numbers are read from every form of a title', () => {
  assert.deepEqual(numbersIn('FR031, 13.1 AC8, AC9: a name'), ['FR031', '13.1 AC8', '13.1 AC9']);
  assert.deepEqual(numbersIn('FR041 13.6-AC2 AC3 an update'), ['FR041', '13.6 AC2', '13.6 AC3']);
  assert.deepEqual(numbersIn('13.2 AC3 and epic AC5: x'), ['13.2 AC3', '13.2 epic AC5']);
  assert.deepEqual(numbersIn('spec AC10: x'), ['spec AC10']);
  assert.deepEqual(numbersIn('ADR-052: x'), ['ADR-052']);
});
