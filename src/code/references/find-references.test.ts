import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../syntax/parse.ts';
import { findReferences } from './find-references.ts';
import { createLookup, resolveReferences } from './resolve-references.ts';
import { suggestNames } from './suggest-names.ts';

/** `name` or `?`, `()` if called, and the text that stands for the reference. */
function seen(source: string): string[] {
  return findReferences(parse(source)).map(({ name, called, span }) => {
    return `${name ?? '?'}${called ? '()' : ''} ${source.slice(span.start, span.end)}`;
  });
}

test('every way to write a reference is found', () => {
  const cases: [string, string[]][] = [
    ['mcp.fs.readJson(x)', ['fs:readJson() mcp.fs.readJson']],
    ['mcp["fs"]["read_json"](x)', ['fs:read_json() mcp["fs"]["read_json"]']],
    ['mcp["fs:read_json@v1"](x)', ['fs:read_json@v1() mcp["fs:read_json@v1"]']],
    [
      "mcp['local.default.fs.read.a7f3'](x)",
      ["local.default.fs.read.a7f3() mcp['local.default.fs.read.a7f3']"],
    ],
    ['mcp[`fs:read`](1)', ['fs:read() mcp[`fs:read`]']],
    ['mcp.sum(1)', ['sum() mcp.sum']],
    ['mcp?.fs?.read?.(x)', ['fs:read() mcp?.fs?.read']],
    ['(mcp as any).fs!.read!(x)', ['fs:read() (mcp as any).fs!.read']],
    ['const { fs } = mcp; fs.read(1)', ['fs:read() fs.read']],
    ['const { readFile: r } = mcp.fs; r(1); [1].map(r)', ['fs:readFile() r', 'fs:readFile r']],
    ['const { fs: { read } } = mcp; read()', ['fs:read() read']],
    ['const { ["fs"]: q } = mcp; q.r()', ['fs:r() q.r']],
    ['const m = mcp; const f = m.fs; f.read()', ['fs:read() f.read']],
    ['const f = mcp.fs.read; f(1)', ['fs:read mcp.fs.read', 'fs:read() f']],
    ['paths.map(mcp.fs.read)', ['fs:read mcp.fs.read']],
    ['return { read: mcp.fs.read }', ['fs:read mcp.fs.read']],
    ['mcp.fs.read.call(null, 1)', ['fs:read mcp.fs.read']],
    ['const go = async (p) => mcp.fs.read({ p }); await go(1)', ['fs:read() mcp.fs.read']],
    ['declare const mcp: any; mcp.a.b()', ['a:b() mcp.a.b']],
    ['mcp["io.github.ana"].tool()', ['io.github.ana:tool() mcp["io.github.ana"].tool']],
  ];
  for (const [source, expected] of cases) assert.deepEqual(seen(source), expected, source);
});

test('what only the run can tell is reported as dynamic', () => {
  const cases: [string, string[]][] = [
    ['mcp[s][t](x)', ['?() mcp[s][t]']],
    ['mcp.fs[t](x)', ['?() mcp.fs[t]']],
    ['const fs = mcp.fs; fs[t](1)', ['?() fs[t]']],
    ['f(mcp)', ['? mcp']],
    ['g({ mcp })', ['? mcp']],
    ['const { ...all } = mcp; all.a.b()', ['? mcp']],
    ['const { fs = other } = mcp; fs.x()', ['? mcp']],
    ['let m = mcp; m = other; m.a.b()', ['? mcp']],
    ['(c ? mcp.a : mcp.b).c()', ['? mcp.a', '? mcp.b']],
    ['Object.keys(mcp.fs)', ['? mcp.fs']],
  ];
  for (const [source, expected] of cases) assert.deepEqual(seen(source), expected, source);
});

test('a local `mcp` is not ours', () => {
  const sources = [
    'function f(mcp) { return mcp.a.b() }',
    'const mcp = {}; mcp.a.b()',
    '{ let mcp = 1; mcp.a.b() }',
    'try {} catch (mcp) { mcp.a.b() }',
    'for (const mcp of []) mcp.a.b()',
    '(function mcp() { mcp.a.b() })',
    'class mcp { m() { mcp.a.b() } }',
    'const { mcp } = x; mcp.a.b()',
    'const f = ({ mcp }) => mcp.a.b()',
    'switch (1) { case 1: let mcp; mcp.a.b() }',
    'if (x) { var mcp = 1 } mcp.a.b()',
    'x.mcp.a.b(); ({ mcp: 1 }).mcp.a.b()',
    'const a = b, b = a; a.x.y()',
  ];
  for (const source of sources) assert.deepEqual(seen(source), [], source);
  assert.deepEqual(seen('{ let mcp = 1 } mcp.a.b()'), ['a:b() mcp.a.b']);
  assert.deepEqual(seen('function f(x = mcp.a.b()) { var mcp }'), ['a:b() mcp.a.b']);
});

test('a reference knows its arguments and its place', () => {
  const source = 'const a = 1\nawait mcp.fs.read({ a }, ...b)';
  const [call] = findReferences(parse(source));
  assert.deepEqual(
    call?.args.map(({ start, end }) => source.slice(start, end)),
    ['{ a }', '...b'],
  );
  assert.deepEqual(call?.position, { line: 2, column: 7 });
});

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

test('an unknown name comes with its place and what may have been meant', () => {
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

test('suggestions are near, few and best first', () => {
  const names = ['fs:read_file', 'fs:read_dir', 'fs:write_file', 'gh:read_file', 'slack:post'];
  assert.equal(suggestNames('fs:raedFile', names)[0], 'fs:read_file');
  assert.deepEqual(suggestNames('filesystem:read_file', names).slice(0, 2), ['fs:read_file', 'gh:read_file']);
  assert.ok(suggestNames('fs:read', names).includes('fs:read_dir'));
  assert.deepEqual(suggestNames('zzz:qqq', names), []);
  assert.equal(
    suggestNames(
      'fs:read_file',
      Array.from({ length: 50 }, (_, n) => `fs:read_file${n}`),
    ).length,
    3,
  );
});
