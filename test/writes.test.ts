import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const SRC = resolve(import.meta.dirname, '../src');

/** The tables that a source writes to, by its SQL. */
function tablesWrittenBy(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const writes = code.matchAll(/\b(?:insert\s+into|delete\s+from|update)\s+(?:only\s+)?([a-z]+_[a-z_]+)\b/gi);
  return [...new Set(Array.from(writes, ([, table]) => table as string))];
}

/** The files that write each table. */
function writersIn(sources: ReadonlyMap<string, string>): Map<string, string[]> {
  const writers = new Map<string, string[]>();
  for (const [file, source] of sources)
    for (const table of tablesWrittenBy(source)) writers.set(table, [...(writers.get(table) ?? []), file]);
  return writers;
}

const files = globSync('**/*.{ts,js}', { cwd: SRC }).filter((file) => !/(\.test|testing)\.ts$/.test(file));
const migrations = globSync('store/migrations/*.sql', { cwd: SRC });
const read = (names: readonly string[]) =>
  new Map([...names].sort().map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));

test('each table is written by one file', () => {
  const writers = writersIn(read(files));
  const shared = [...writers].filter(([, owners]) => owners.length > 1);
  assert.deepEqual(shared, []);
});

test('the owner of every table that the migrations create is found', () => {
  const schema = [...read(migrations).values()].join('\n');
  const tablesAfter = (statement: RegExp) => Array.from(schema.matchAll(statement), ([, table]) => table);
  const dropped = tablesAfter(/drop table (?:if exists )?(\w+)/gi);
  const tables = tablesAfter(/create table (?:if not exists )?(\w+)/gi).filter(
    (table) => !dropped.includes(table),
  );
  const writers = writersIn(read(files));
  assert.ok(tables.length > 8);
  assert.deepEqual(
    tables.filter((table) => !writers.has(table as string)),
    [],
  );
});

test('a second writer is found, whatever the statement; reading and prose do not count', () => {
  const sources = new Map([
    ['a.ts', 'sql`with r as (insert into some_table (id) values ($1)) select 1`'],
    [
      'b.ts',
      '// An update some_table would not like.\ndb.query(`select * from some_table for no key update`)',
    ],
    ['c.ts', 'db.query("delete\n  from some_table")'],
    ['d.ts', 'db.query("update some_table t set id = 1")'],
  ]);
  assert.deepEqual(writersIn(sources).get('some_table'), ['a.ts', 'c.ts', 'd.ts']);
});
