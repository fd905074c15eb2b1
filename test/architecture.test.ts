import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

interface Room {
  name: string;
  doors: string[];
}

/** The rooms, lowest first, as the architecture tour lists them. */
function readRooms(tour: string): Room[] {
  return [...tour.matchAll(/^\| `([\w.-]+)\/?` \|.*\| *(.*?) *\|$/gm)].map(([, name, doors]) => ({
    name: name as string,
    doors: ['index.ts', ...namesIn(doors as string)],
  }));
}

/** The inner folders of the big rooms, lowest first. `.` is the room's own files. */
function readInnerFolders(tour: string): Map<string, string[]> {
  const table = tour.slice(tour.indexOf('| room | inner folders'));
  const rows = table.matchAll(/^\| `([\w-]+)` \| ((?:`[\w.-]+` ?)+) \|$/gm);
  return new Map(Array.from(rows, ([, room, folders]) => [room as string, namesIn(folders as string)]));
}

function namesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name as string);
}

/** Lists the imports of one file that break the rules. */
function violations(
  rooms: readonly Room[],
  inner: ReadonlyMap<string, string[]>,
  file: string,
  source: string,
): string[] {
  const home = roomOf(file);
  const mine = rooms.findIndex(({ name }) => name === home);
  if (mine === -1) return [`${file}: room "${home}" is not in docs/architecture.md`];
  return importsOf(source).flatMap((specifier) => {
    const target = relative(SRC, resolve(SRC, dirname(file), specifier));
    if (target.startsWith('..')) return [`${file}: imports ${specifier}, outside src`];
    if (isForTests(target)) return isForTests(file) ? [] : [`${file}: imports ${target}, which is for tests`];
    const room = rooms.findIndex(({ name }) => name === roomOf(target));
    if (room === mine) return isForTests(file) ? [] : innerViolation(inner.get(home), file, target);
    if (room === -1) return [`${file}: imports ${target}, which is in no room`];
    if (room > mine) return [`${file}: imports ${target}, which is a room below it in the table`];
    const door = target.split('/').slice(1).join('/');
    if (door === '' || rooms[room]?.doors.includes(door)) return [];
    return [`${file}: imports ${target} past the door of its room`];
  });
}

function innerViolation(order: readonly string[] | undefined, file: string, target: string): string[] {
  if (!order || /^[\w-]+\/index\.ts$/.test(file)) return [];
  const [from, to] = [file, target].map((one) => order.indexOf(one.split('/').slice(1, -1)[0] ?? '.')) as [
    number,
    number,
  ];
  if (from === -1 || to === -1) return [`${file}: imports ${target}; one of their folders is in no order`];
  return to > from ? [`${file}: imports ${target}, from a later inner folder`] : [];
}

/** Groups of files that import each other, also for types alone: each is a strongly connected component. */
function cycles(files: ReadonlyMap<string, string>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) as number);
    open.push(file);
    for (const specifier of importsOf(files.get(file) as string)) {
      const target = join(dirname(file), specifier);
      if (!files.has(target)) continue;
      if (!order.has(target)) visit(target);
      else if (!open.includes(target)) continue;
      lowest.set(file, Math.min(lowest.get(file) as number, lowest.get(target) as number));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1) found.push(group.sort());
  };
  for (const file of files.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** A single file and the test beside it are one room. */
function roomOf(file: string): string {
  return (file.split('/')[0] as string).replace(/\.test\.ts$/, '.ts');
}

function isForTests(file: string): boolean {
  return /\.test\.ts$|testing\.ts$|^testing\//.test(file);
}

function importsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    ([, specifier]) => specifier as string,
  );
}

const tour = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const rooms = readRooms(tour);
const inner = readInnerFolders(tour);
const sources = new Map(
  globSync('**/*.{ts,js}', { cwd: SRC })
    .sort()
    .map((file) => [file, readFileSync(join(SRC, file), 'utf8')]),
);

test('every import points up the table of rooms, through a door, and along the inner folders', () => {
  assert.ok(sources.size > 50 && rooms.length > 20 && inner.size > 4);
  const wrong = [...sources].flatMap(([file, source]) => violations(rooms, inner, file, source));
  assert.deepEqual(wrong, []);
});

test('no files import each other in a circle', () => {
  assert.deepEqual(cycles(sources), []);
});

test('an import that points down, past a door, out of src or to a later folder is found', () => {
  const table: Room[] = [
    { name: 'errors.ts', doors: ['index.ts'] },
    { name: 'store', doors: ['index.ts', 'testing.ts'] },
    { name: 'gateway', doors: ['index.ts'] },
  ];
  const folders = new Map([['gateway', ['tools', '.', 'session']]]);
  const wrong = (file: string, specifier: string) =>
    violations(table, folders, file, `import { x } from '${specifier}';`).length > 0;
  assert.equal(wrong('gateway/session.ts', '../store/index.ts'), false);
  assert.equal(wrong('gateway/session.ts', '../errors.ts'), false);
  assert.equal(wrong('gateway/session.ts', './names.ts'), false);
  assert.equal(wrong('gateway/session.ts', './tools/list.ts'), false);
  assert.equal(wrong('gateway/session.ts', './session/relay.ts'), true);
  assert.equal(wrong('gateway/tools/list.ts', '../names.ts'), true);
  assert.equal(wrong('gateway/session/relay.ts', '../other/names.ts'), true);
  assert.equal(wrong('gateway/index.ts', './session/relay.ts'), false);
  assert.equal(wrong('store/db.ts', '../gateway/index.ts'), true);
  assert.equal(wrong('gateway/session.ts', '../store/db.ts'), true);
  assert.equal(wrong('errors.ts', './store/index.ts'), true);
  assert.equal(wrong('store/db.test.ts', '../../test/support/pml.ts'), true);
  assert.equal(wrong('store/db.ts', './testing.ts'), true);
  assert.equal(wrong('store/db.test.ts', './testing.ts'), false);
  assert.equal(wrong('kitchen/sink.ts', '../errors.ts'), true);
});

test('files that import each other are found, also over several steps and for a type', () => {
  const files = new Map([
    ['a/one.ts', `import type { Two } from './two.ts';`],
    ['a/two.ts', `import { three } from '../three.ts';`],
    ['three.ts', `export { one } from './a/one.ts';`],
    ['four.ts', `import { one } from './a/one.ts';`],
  ]);
  assert.deepEqual(cycles(files), [['a/one.ts', 'a/two.ts', 'three.ts']]);
});

test('a dynamic import and an exported one count too', () => {
  assert.deepEqual(importsOf(`export { a } from './a.ts'; await import('./b.ts'); import './c.ts';`), [
    './a.ts',
    './b.ts',
    './c.ts',
  ]);
});

test('the tests that the threat model names are there, and each attack has its place in it', () => {
  const model = readFileSync(join(ROOT, 'docs/threat-model.md'), 'utf8');
  const named = new Set(
    Array.from(model.matchAll(/`((?:src|test)\/[\w/.-]+\.test\.ts)`/g), ([, file]) => file),
  );
  assert.deepEqual(
    [...named].filter((file) => !existsSync(join(ROOT, file as string))),
    [],
  );
  const attacks = globSync('test/hostile/*.test.ts', { cwd: ROOT });
  const unnamed = attacks.filter((file) => !named.has(file) && !file.endsWith('watchdog.test.ts'));
  assert.deepEqual(unnamed, []);
});
