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
    doors: ['index.ts', ...[...(doors as string).matchAll(/`([^`]+)`/g)].map(([, door]) => door as string)],
  }));
}

/** What is wrong with the imports of one file; nothing, for a file that keeps to the rules. */
function violations(rooms: readonly Room[], file: string, source: string): string[] {
  const home = roomOf(file);
  const mine = rooms.findIndex(({ name }) => name === home);
  if (mine === -1) return [`${file}: room "${home}" is not in docs/architecture.md`];
  return importsOf(source).flatMap((specifier) => {
    const target = relative(SRC, resolve(SRC, dirname(file), specifier));
    if (target.startsWith('..')) return isTest(file) ? [] : [`${file}: imports ${specifier}, outside src`];
    const room = rooms.findIndex(({ name }) => name === roomOf(target));
    if (room === mine) return [];
    if (room === -1) return [`${file}: imports ${target}, which is in no room`];
    if (room > mine) return [`${file}: imports ${target}, which is a room below it in the table`];
    const door = target.split('/').slice(1).join('/');
    if (door === '' || rooms[room]?.doors.includes(door)) return [];
    return [`${file}: imports ${target} past the door of its room`];
  });
}

/** A single file and the test beside it are one room. */
function roomOf(file: string): string {
  return (file.split('/')[0] as string).replace(/\.test\.ts$/, '.ts');
}

function isTest(file: string): boolean {
  return /\.test\.ts$|testing\.ts$/.test(file);
}

function importsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    ([, specifier]) => specifier as string,
  );
}

const rooms = readRooms(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'));

test('every import points up the table of rooms, through a door', () => {
  const files = globSync('**/*.{ts,js}', { cwd: SRC });
  assert.ok(files.length > 50);
  const wrong = files.flatMap((file) => violations(rooms, file, readFileSync(join(SRC, file), 'utf8')));
  assert.deepEqual(wrong, []);
});

test('an import that points down, past a door or out of src is found', () => {
  const table: Room[] = [
    { name: 'errors.ts', doors: ['index.ts'] },
    { name: 'store', doors: ['index.ts'] },
    { name: 'gateway', doors: ['index.ts'] },
  ];
  const wrong = (file: string, specifier: string) =>
    violations(table, file, `import { x } from '${specifier}';`).length > 0;
  assert.equal(wrong('gateway/session.ts', '../store/index.ts'), false);
  assert.equal(wrong('gateway/session.ts', '../errors.ts'), false);
  assert.equal(wrong('gateway/session.ts', './names.ts'), false);
  assert.equal(wrong('store/db.ts', '../gateway/index.ts'), true);
  assert.equal(wrong('gateway/session.ts', '../store/db.ts'), true);
  assert.equal(wrong('errors.ts', './store/index.ts'), true);
  assert.equal(wrong('store/db.ts', '../../test/support/pml.ts'), true);
  assert.equal(wrong('store/db.test.ts', '../../test/support/postgres.ts'), false);
  assert.equal(wrong('kitchen/sink.ts', '../errors.ts'), true);
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
