import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../syntax/parse.ts';
import { findReferences } from './find-references.ts';

/** Prints each reference: `name` or `?`, `()` if called, and its text. */
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

test('a name known only at run time is reported as dynamic', () => {
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

test('a local variable named `mcp` is no reference', () => {
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
