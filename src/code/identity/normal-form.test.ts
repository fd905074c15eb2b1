import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf, normalForm } from './normal-form.ts';

test('programs that differ only in style have one normal form', () => {
  const pairs: [string, string][] = [
    ['const a = 1; return a', 'const b = (1) // c\nreturn ((b))'],
    ['return { a: 1, "b": 2 }', "return { 'a': 1, b: 2 }"],
    ['const f = (x: number): number => x', 'const g = y => y;;'],
    ['return `abc`', "return 'abc'"],
    ['return mcp.fs.read({ a })', 'return mcp["fs"]["read"]({ "a": a })'],
    ['return mcp.fs.read({ a })', 'return mcp["fs:read"]({ a: a })'],
    ['mcp.a.b()', 'return mcp.a.b()'],
    ['const a = 1; return { a }', 'const b = 1; return { a: b }'],
    ['l: for (;;) break l', 'k: for (;;) break k'],
    ['try { f() } catch (e) { g(e) }', 'try { f() } catch (err: any) { g(err) }'],
    ['function f(a, b = a) { return b } return f(1)', 'function g(x, y = x) { return y } return g(1)'],
    [
      'class A { m() { return new A() } } return new A()',
      'class B { m() { return new B() } } return new B()',
    ],
    [
      'const { a, b: { c = 1 }, ...r } = args; return [a, c, r]',
      'const { a: x, b: { c: y = 1 }, ...z } = args; return [x, y, z]',
    ],
    ["a['b'][0]", 'a.b["0"]'],
    ['const x = 1; { const x = 2; f(x) } return x', 'const x = 1; { const y = 2; f(y) } return x'],
    [
      'const f = function me(n) { return n ? me(n - 1) : 0 }',
      'const g = function self(k) { return k ? self(k - 1) : 0 }',
    ],
    ['a as any; f<string>(1); x?.y!.z', 'a; f(1); x?.y.z'],
    ['interface A {}\nreturn 0x10', 'return 16'],
    ['a || (b || c)', '(a || b) || c'],
    ['if (a) { b() }', 'if (a) { b(); }'],
    ['let i = 0; i++', 'let j = 0; j++'],
    [
      'const a = 1; const f = () => a; { let a = 2; f(a) }',
      'const p = 1; const q = () => p; { let r = 2; q(r) }',
    ],
  ];
  for (const [one, other] of pairs) assert.equal(normalForm(one), normalForm(other), `${one}  |  ${other}`);
});

test('programs that do different things have different normal forms', () => {
  const pairs: [string, string][] = [
    ['a + b', 'a - b'],
    ['return a', 'return b'],
    ['const a = 1, b = 2; return a', 'const a = 1, b = 2; return b'],
    ['f(); g()', 'g(); f()'],
    ['return "a"', 'return "b"'],
    ['return { a: 1 }', 'return { b: 1 }'],
    ['x?.y.z', '(x?.y).z'],
    ['x.y', 'x?.y'],
    ['const a = 1; eval("a")', 'const b = 1; eval("a")'],
    ['return { __proto__: a }', 'return { ["__proto__"]: a }'],
    ['const __proto__ = 1; return { __proto__ }', 'const __proto__ = 1; return { __proto__: __proto__ }'],
    ['l: for (;;) { for (;;) break l }', 'l: for (;;) { k: for (;;) break k }'],
    ['t`a\\n`', 't`a\n`'],
    ['mcp.a.b()', 'mcp.a.c()'],
    ['return async () => 1', 'return () => 1'],
    ['function* f() { yield 1 } return f()', 'function* f() { yield* 1 } return f()'],
    ['/a/g', '/a/i'],
    ['class A { static x = 1 } return A', 'class A { x = 1 } return A'],
    ['return [, a]', 'return [_, a]'],
    ['let a = 1; function f() { a = 2 } return a', 'let a = 1; function f() { let a = 2 } return a'],
    ['function f(a = 1) { var a; return a } return f()', 'function f(a = 1) { var b; return b } return f()'],
    ['const x = 1; { f(x) } return x', 'const x = 1; { const x = 2; f(x) } return x'],
    ['return a ?? b', 'return a || b'],
    ['for (const a of b) f(a)', 'for (const a in b) f(a)'],
    ['const a = 1', 'let a = 1'],
    ['mcp.a.b(); 1', 'mcp.a.b()'],
    ['return 1n', 'return 1'],
    ['return "1"', 'return 1'],
    ['f(...a)', 'f(a)'],
    ['return args.a', 'return args.b'],
  ];
  for (const [one, other] of pairs)
    assert.notEqual(normalForm(one), normalForm(other), `${one}  |  ${other}`);
});

test('the caller can give all spellings of a reference one name', () => {
  const nameOf = (spelling: string): string | undefined =>
    /^fs:read_?json$/i.test(spelling) ? 'fs:read_json' : undefined;
  assert.notEqual(hashOf('mcp.fs.readJson()'), hashOf('mcp.fs.read_json()'));
  assert.equal(hashOf('mcp.fs.readJson()', { nameOf }), hashOf('mcp["fs:read_json"]()', { nameOf }));
});

test('the hash is sha256 in hex', () => {
  assert.match(hashOf('return 1'), /^[0-9a-f]{64}$/);
});
