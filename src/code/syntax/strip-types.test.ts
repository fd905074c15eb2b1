import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transformSync } from 'oxc-transform';
import { normalForm } from '../identity/normal-form.ts';
import { parse } from './parse.ts';
import { ParseError } from './parse-error.ts';
import { stripTypes, toFunctionBody } from './strip-types.ts';

const CASES = [
  'const x: number = 1 as any; let y!: string;',
  'function f<T>(this: X, a?: T, { b }: { b: string } = { b: "1" }, ...c: T[]): asserts a is T { return a! }',
  'interface A { x: 1 }\nfoo\ntype X = 1\n(bar)',
  'class A<T> extends (B)<T> implements C, D { private readonly x?: number; static override y = 1; declare q: number }',
  'class A { get: T\n foo() {} public ["z"] = 2; w!: string; constructor(); constructor(x?: any) {} [k: string]: any }',
  'class A { x = 1\n public *gen(): any {} }',
  'abstract class Q { abstract m(): void; protected async *[Symbol.iterator]<T>(): any {} }',
  'let a = x as T\n(y)',
  'const a = { b: 1 } as const\n[1].map((x) => x)',
  'let b = c satisfies D\n`t`',
  'const g = async <\nT>(a: T): Promise<\nT\n> => a',
  'f<string>(1); new Map<string, number>(); tag<T>`x`; (a as any).b!.c; x!; ((y) as T)',
  'try {} catch (e: any) {}',
  'for (const x of y as T[]) {}',
  'const { a, b = 2 }: { a: string; b?: number } = args;',
  '(class implements A {}); (class extends (B) implements C {})',
  'function f(a: string): void; function f(a: number): void; function f(a: any) {}',
  'a?.b!.c; a![0]; a!()',
  'x = y as unknown as { a: string }[]',
  'const f = (a: number, b?: string): a is any => true',
  'label: for (const k in o as any) { continue label }',
  'const é: string = "日本" as string; return é',
  'let x: typeof y[number] = 1, z: () => void',
];

test('types are erased and every other token keeps its place', () => {
  for (const source of CASES) {
    const stripped = stripTypes(source);
    assert.equal(stripped.length, source.length);
    for (let at = 0; at < source.length; at += 1) {
      assert.ok(stripped[at] === source[at] || ' ;()'.includes(stripped[at] as string), source);
    }
    new Function(`return async () => { ${stripped}\n}`);
    assert.equal(normalForm(stripped), normalForm(source), source);
  }
});

test('the result agrees with another type eraser', () => {
  for (const source of CASES) {
    const { code, errors } = transformSync('a.ts', `async function p() {${source}\n}`);
    assert.deepEqual(errors, [], source);
    const body = code.slice(code.indexOf('{') + 1, code.lastIndexOf('}'));
    assert.equal(normalForm(stripTypes(source)), normalForm(body), source);
  }
});

test('strings, comments and expressions that look like types stay', () => {
  const source = 'const a = "x as y: z"; // b: number\nreturn /c: d/.test(a) ? `a: as` : a < b || c > d';
  assert.equal(stripTypes(source), source);
});

test('gaps that V8 does not accept become spaces, except in strings', () => {
  assert.equal(stripTypes('\u200breturn "\u200b" +\u0085`\u200b`'), ' return "\u200b" + `\u200b`');
});

test('syntax that cannot be erased is refused', () => {
  assert.throws(() => stripTypes('enum A { B }'), ParseError);
});

test('a body runs as it is, an expression is returned, a function without parameters is called', async () => {
  const results: [string, unknown][] = [
    ['const a: number = 2; return a', 2],
    ['1 + 1', 2],
    ['// c\n(1 + 1) ; // d', 2],
    ['{ a: 1, b: 2 }', { a: 1, b: 2 }],
    ['async () => { return 2 }', 2],
    ['(function () { return 2 });', 2],
    ['2 as number', 2],
    ['await Promise.resolve(2)', 2],
    ['"a;"', 'a;'],
    ['const a = 1', undefined],
  ];
  for (const [source, expected] of results) {
    const { before, code, after } = toFunctionBody(parse(source));
    assert.equal(code.length, source.length);
    assert.ok(!before.includes('\n'));
    const made = new Function(`return async () => { ${before}${code}${after}\n}`)() as () => Promise<unknown>;
    assert.deepEqual(await made(), expected, source);
  }
});
