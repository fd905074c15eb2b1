import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignments, insertion, NOW, raw, type Sql, sql } from './sql.ts';

function printed(statement: Sql): [text: string, parameters: unknown[]] {
  const parameters: unknown[] = [];
  return [statement.print(parameters), parameters];
}

test('values become parameters, numbered in the order of the text, also across nested pieces', () => {
  const inner = sql`b = ${2} and ${raw('c')} = ${[3]}`;
  assert.deepEqual(printed(sql`select ${1} where ${inner} or d = ${null}`), [
    'select $1 where b = $2 and c = $3 or d = $4',
    [1, 2, [3], null],
  ]);
});

test('an insert takes its columns from a map, as values or from a source', () => {
  const columns = { id: 'x', made_at: NOW, name: sql`lower(${'Y'})` };
  assert.deepEqual(printed(insertion(columns)), [
    '(id, made_at, name) values ($1, now(), lower($2))',
    ['x', 'Y'],
  ]);
  assert.deepEqual(printed(insertion({ id: 'x' }, sql`from r where r.n > ${5}`)), [
    '(id) select $1 from r where r.n > $2',
    ['x', 5],
  ]);
});

test('an update assigns the columns of a map', () => {
  assert.deepEqual(printed(assignments({ a: 1, b: NOW, c: sql`c or ${true}` })), [
    'a = $1, b = now(), c = c or $2',
    [1, true],
  ]);
});

test('a text that looks like SQL stays a parameter', () => {
  const evil = `'; drop table capability_records; --`;
  assert.deepEqual(printed(assignments({ name: evil })), ['name = $1', [evil]]);
});
