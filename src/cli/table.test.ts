import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './table.ts';

const style = (_: unknown, text: string) => text;
const HEAD = ['NAME', 'VERSION', 'CALLS', 'SUCCESS', 'VISIBILITY', 'DESCRIPTION'];
const ROWS = [
  ['fs:read_json', '@1', '3', '100%', 'private', 'Reads a JSON file and returns what it holds, as an object'],
  ['a:name_that_is_about_as_long_as_a_name_can_be', '@12', '1000', '–', 'public', '列出所有文件'],
];

test('in a pipe every cell stays whole', () => {
  const [head = '', first = ''] = table(HEAD, ROWS, { columns: undefined, style }).split('\n');
  assert.ok(first.endsWith('as an object'));
  assert.equal(head.indexOf('DESCRIPTION'), first.indexOf('Reads'));
});

test('where the table is a little too wide, the last column is cut', () => {
  const lines = table(HEAD, ROWS.slice(0, 1), { columns: 80, style }).split('\n');
  assert.equal(lines.length, 2);
  assert.ok(lines[1]?.endsWith('…') && lines[1].length <= 80, lines[1]);
});

test('in 60 columns each row takes several lines, none of them wider', () => {
  const lines = table(HEAD, ROWS, { columns: 60, style }).split('\n');
  assert.deepEqual(
    lines.filter((line) => line.length > 60),
    [],
  );
  assert.deepEqual(lines.slice(0, 3), [
    'fs:read_json',
    '  version @1, calls 3, success 100%, visibility private',
    '  Reads a JSON file and returns what it holds, as an object',
  ]);
});

test('wide letters count twice, and control characters are left out', () => {
  const text = table(
    ['A', 'B'],
    [
      ['列出', `x\u001b[31m`],
      ['abcd', 'y'],
    ],
    { columns: undefined, style },
  );
  assert.equal(text, 'A     B\n列出  x[31m\nabcd  y');
});
