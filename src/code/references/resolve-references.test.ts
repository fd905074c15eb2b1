import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../syntax/parse.ts';
import { findReferences } from './find-references.ts';
import { createLookup, resolveReferences } from './resolve-references.ts';

const LOOKUP = createLookup(
  new Map(
    ['fs:read_file', 'fs:readfile', 'fs:list_dir', 'gh:list-issues', 'sum'].map((name) => [name, name]),
  ),
);

test('an exact spelling beats a loose one, and two loose hits are an error that lists both', () => {
  const { resolved, problems, dynamic } = resolveReferences(
    findReferences(
      parse('mcp.fs.read_file(); mcp.fs.ListDir(); mcp["gh:listIssues@v2"](); mcp.fs.readFile(); mcp[x]()'),
    ),
    LOOKUP,
  );
  assert.deepEqual(
    resolved.map(({ name, version }) => [name, version]),
    [
      ['fs:read_file', undefined],
      ['fs:list_dir', undefined],
      ['gh:list-issues', 'v2'],
    ],
  );
  assert.equal(problems.length, 1);
  assert.equal(problems[0]?.code, 'ambiguous_name');
  assert.deepEqual(problems[0]?.suggestions, ['fs:read_file', 'fs:readfile']);
  assert.match(problems[0]?.message ?? '', /fs:read_file or fs:readfile/);
  assert.equal(dynamic.length, 1);
});

test('an unknown name is reported with its place and suggestions', () => {
  const { problems } = resolveReferences(
    findReferences(parse('\nmcp.fs.lsit_dir(); mcp.fs.lsit_dir(); mcp.nothing.like_it()')),
    LOOKUP,
  );
  assert.deepEqual(
    problems.map(({ message }) => message),
    [
      'Not found: fs:lsit_dir (line 2, column 1). Did you mean fs:list_dir?',
      'Not found: nothing:like_it (line 2, column 39).',
    ],
  );
});
