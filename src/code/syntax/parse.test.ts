import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from './parse.ts';
import { ParseError } from './parse-error.ts';
import { MAX_SOURCE } from './source-limits.ts';

function faultOf(source: string): ParseError {
  try {
    parse(source);
  } catch (thrown) {
    assert.ok(thrown instanceof ParseError, String(thrown));
    return thrown;
  }
  assert.fail(`accepted: ${source.slice(0, 80)}`);
}

test('a function body may await and return at its top', () => {
  assert.equal(parse('const x = await f()\nif (x) { return x }\nreturn 1').kind, 'body');
});

test('a whole expression is its own result', () => {
  for (const source of [
    'await mcp.fs.read({})',
    '{ a: 1, b: [2] }',
    'async () => 1',
    'async function () { return 1 };',
  ]) {
    assert.equal(parse(source).kind, 'expression', source);
  }
  assert.equal(parse('').kind, 'body');
});

test('text that would close the added parenthesis is no expression', () => {
  faultOf('{a: 1}) + ({b: 2}');
  faultOf('1) + (2');
});

test("a parse error has line and column in the caller's text", () => {
  const fault = faultOf('const a = 1\n\tconst é = "日本" oops\nreturn a');
  assert.equal(fault.code, 'syntax_error');
  assert.deepEqual([fault.line, fault.column], [2, 16]);
  assert.equal(fault.excerpt, '1 | const a = 1\n2 |  const é = "日本" oops\n  |                ^');
  assert.match(fault.message, /\(line 2, column 16\)/);
});

test('the excerpt of a long line shows a window around the place', () => {
  const { excerpt } = faultOf(`const a = "${'x'.repeat(5000)}" oops`);
  const [line = '', caret = ''] = excerpt.split('\n');
  assert.ok(line.length < 120);
  assert.equal(line.slice(caret.indexOf('^')).trimStart().startsWith('oops'), true);
});

test('unsupported syntax is refused with a hint', () => {
  const cases: [string, RegExp, RegExp | undefined][] = [
    ['import fs from "fs"', /`import` is not available/, /mcp/],
    ['export const a = 1', /`export` is not available/, /return/],
    ['enum Color { Red }', /`enum` is not supported/, /const/],
    ['namespace N { export const a = 1 }', /`namespace` is not supported/, /object/],
    ['class A { constructor(private x: number) {} }', /Parameter properties/, /constructor/],
    ['const x = <any>y', /`<T>value`/, /as T/],
    ['@d class A {}', /Decorators/, undefined],
    ['class A { accessor x = 1 }', /accessor/, undefined],
    ['import.meta.url', /import\.meta/, undefined],
    ['with (a) {}', /with/, undefined],
    ['#!/usr/bin/env node\nreturn 1', /#!/, undefined],
    ['return a<!--b', /<!--/, undefined],
    ['return /(/', /regular expression/, undefined],
    ['return "\ud800"', /not text/, /escape/],
    ['return "\u0000"', /not text/, /escape/],
    ['let a; let a', /already been declared/, undefined],
    ['class A { static { return 1 } }', /return/, undefined],
  ];
  for (const [source, message, hint] of cases) {
    const fault = faultOf(source);
    assert.match(fault.message, message);
    if (hint) assert.match(fault.hint ?? '', hint);
  }
});

test('declarations for the type checker alone are accepted', () => {
  parse(
    'import type { A } from "b"; declare const mcp: any; declare namespace N {}; declare enum E { A }; return 1',
  );
});

test('size and depth are checked before the native parser runs', () => {
  assert.match(faultOf(`"${'x'.repeat(MAX_SOURCE)}"`).message, /at most/);
  parse(`return "${'('.repeat(MAX_SOURCE / 2)}"`);
  const shapes = [
    '(',
    '[',
    '{',
    '!',
    'a=>',
    'a?b:',
    'if(a)',
    'if(a)b,c;else ',
    'a.',
    'a+',
    'a<',
    '`${',
    'await ',
    'function f(){',
    'class A{m(){',
    'x:',
  ];
  for (const shape of shapes)
    assert.match(
      faultOf(shape.repeat(50_000).slice(0, MAX_SOURCE)).message,
      /too deeply|too long|one line/,
      shape,
    );
});

test('closers in strings, comments and regular expressions hide no depth', () => {
  const deep = `${'('.repeat(20_000)}1${')'.repeat(20_000)}`;
  const disguises = ['(/*)*/', '(/[)/]/,', '(")",', '(`)`,'].map((opener) => opener.repeat(20_000));
  const ambiguous = [
    `if(1)/"/;${deep}//"`,
    `a\n/**/!/"/;${deep}//"`,
    `type/"/1;${deep}//"`,
    `{}/"/;${deep}//"`,
    `"a\\\r\n";${deep}//"`,
  ];
  for (const source of [...disguises, ...ambiguous])
    assert.match(faultOf(source.slice(0, MAX_SOURCE)).message, /too deeply|one line/);
});

test('code with very many errors is refused before the parser reports them all', () => {
  const many = `"${'x'.repeat(100_000)}"; let a;\n${'let a;\n'.repeat(9000)}`;
  for (const source of [many, 'let a;'.repeat(9000)]) assert.match(faultOf(source).message, /on one line/);
  assert.match(faultOf('let a;\n'.repeat(9000)).message, /already been declared/);
  parse(`await mcp.fs.write({ path: "a", content: "${'x'.repeat(250_000)}" })`);
});

test('a long but flat program is accepted', () => {
  const lines = Array.from(
    { length: 800 },
    (_, n) => `const a${n} = await mcp.fs.read({ path: "${n}", deep: [1, { b: !x }] })`,
  );
  parse(lines.join('\n'));
  parse(`${lines.join(';\n')};`);
  parse(
    `return [${Array.from({ length: 1000 }, (_, n) => `{ id: ${n}, "ok": true, list: [1.5, -2, { name: "x", nothing: null }] }`).join(',')}]`,
  );
});
