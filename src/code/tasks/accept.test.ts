import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashOf } from '../identity/normal-form.ts';
import { positionAt } from '../syntax/positions.ts';
import { accept, originalPosition } from './accept.ts';

const FUNCTIONS = { mcp__fs__read: 'fs:read', fs__read: 'fs:read', fs: 'fs' };

const CASES: [what: string, sent: string, accepted: string][] = [
  ['nothing', 'return 1', 'return 1'],
  ['one expression', 'await mcp.a.b()', 'await mcp.a.b()'],
  ['a fence', '```ts\nreturn 1\n```', '\nreturn 1\n'],
  ['prose', 'So:\n```js\nreturn 1\n```\nDone!', '\n\nreturn 1\n\n'],
  ['a fence in a comment', '/*\n```\nx\n```\n*/ return 1', '/*\n```\nx\n```\n*/ return 1'],
  ['a trailing name', 'const a = 1;\na', 'const a = 1;\nreturn a'],
  ['a trailing call', 'const a = 1;\nawait mcp.x.y({ a });', 'const a = 1;\nreturn await mcp.x.y({ a });'],
  [
    'a tool whose name changes lists',
    'const a = 1; mcp.list.add({ a })',
    'const a = 1; return mcp.list.add({ a })',
  ],
  ['a return elsewhere', 'if (args.x) return 1;\nf()', 'if (args.x) return 1;\nf()'],
  ['an assignment', 'let a; a = 1', 'let a; a = 1'],
  ['a push', 'const a = []; a.push(1)', 'const a = []; a.push(1)'],
  ['a console line', 'const a = 1; console.log(a)', 'const a = 1; console.log(a)'],
  ['a directive', 'const a = 1;\n"use strict"', 'const a = 1;\nreturn "use strict"'],
  ['a default export', 'export default async () => 1', 'return (       async () => 1)()'],
  ['an exported value', 'export default { a: 1 };', 'return (       { a: 1 });'],
  ['an export in parentheses', 'export default (() => 1);', 'return (       (() => 1))();'],
  ['named exports', 'export const a = 1;\na', '       const a = 1;\nreturn a'],
  [
    'an exported function',
    'export function f(x) { return x }',
    '       function f(x) { return x }; return f(args);',
  ],
  ['main', 'async function main() { return 1 }', 'async function main() { return 1 }; return main();'],
  [
    'main that is called before',
    'await main();\nasync function main() { return 1 }',
    'return await main();\nasync function main() { return 1 }',
  ],
  [
    'main whose result is used before',
    'const r = await main();\nconsole.log(r);\nfunction main() { return 1 }',
    'const r = await main();\nconsole.log(r);\nfunction main() { return 1 }',
  ],
  [
    'an exported function that is called before',
    'const r = run();\nexport function run() { return 1 }',
    'const r = run();\n       function run() { return 1 }',
  ],
  [
    'main beside a property of that name',
    'const b = args.main;\nfunction main() { return b }',
    'const b = args.main;\nfunction main() { return b }; return main();',
  ],
  [
    'functions after the result',
    'const a = f();\na\nfunction f() { return 1 }',
    'const a = f();\nreturn a\nfunction f() { return 1 }',
  ],
  ['another function', 'function f() { return 1 }', 'function f() { return 1 }'],
  ['a parameter', '(input) => input.a', 'return ((input) => input.a)(args)'],
  ['globals as parameters', 'async ({ mcp, args }) => 1', 'return (async (             ) => 1)()'],
  ['a listed name', 'return mcp__fs__read({ a: 1 })', 'return mcp.fs.read({ a: 1 })'],
  ['a server', 'return fs.read()', 'return mcp.fs.read()'],
  ['a listed name passed on', 'return args.map(fs__read)', 'return args.map(mcp.fs.read)'],
  ['a local name', 'const fs = {}; return fs.read()', 'const fs = {}; return fs.read()'],
];

for (const [what, sent, accepted] of CASES) {
  test(`accepts ${what}`, () => assert.equal(accept(sent, FUNCTIONS).code, accepted));
}

test('what is accepted stays as it is when it is sent again', () => {
  for (const [, sent] of CASES) {
    const { code } = accept(sent, FUNCTIONS);
    assert.equal(accept(code, FUNCTIONS).code, code);
  }
});

test('what cannot be accepted is a syntax error at its place', () => {
  for (const [sent, message] of [
    ['```python\nprint(1)\n```', /fenced as python \(line 1, column 1\)/],
    ['text\n```ts\na\n```\n```ts\nb\n```', /several fenced blocks \(line 2, column 1\)/],
    ['```ts\nconst a = ;\n```', /Unexpected token \(line 2, column 11\)/],
    ['export default class A {}', /`export` is not available \(line 1, column 1\)/],
    ['export * from "x"', /`export` is not available/],
    ['const a = 1;\nexport default () => a;\na', /`export` is not available \(line 2/],
  ] as const) {
    assert.throws(() => accept(sent), message, sent);
  }
});

test('names that nothing declares may be meant as tools', () => {
  const { called, objects } = accept(
    'const own = () => 1; own(); parseInt("1"); foo({}); bar.baz({}); qux.length; a__b; typeof nothing; return list.map(mcp__c__d)',
  );
  assert.deepEqual(
    [called, objects],
    [
      ['foo', 'a__b', 'mcp__c__d'],
      ['bar', 'list'],
    ],
  );
});

/** Statements that are rewritten in some way, each with a word that is not. */
const LINES = [
  'const a0 = await mcp__fs__read({ path: "WORD" });',
  'await mcp.call("fs:read", { path: "WORD" });',
  'const f0 = fs__read; const b0 = "WORD";',
  'await fs.read({ a: mcp__fs__read, b: "WORD" });',
  '/* plain */ args.x("WORD");',
];

test('every place in accepted code is found in the code that was sent', () => {
  const lines = fc.uniqueArray(fc.nat(LINES.length - 1), { minLength: 1, maxLength: LINES.length });
  fc.assert(
    fc.property(
      lines,
      fc.boolean(),
      fc.constantFrom('\n', ' '),
      fc.boolean(),
      (picked, isFenced, gap, isExport) => {
        const body = picked.map((at) => LINES[at]?.replace('WORD', `word${at}`)).join(gap);
        const program = isExport ? `export default async () => { ${body} }` : `${body}${gap}"last word"`;
        const sent = isFenced ? `\`\`\`ts\n${program}\n\`\`\`` : program;
        const { code } = accept(sent, FUNCTIONS);
        for (const at of picked) {
          const word = `word${at}`;
          const place = positionAt(code, code.indexOf(word));
          assert.deepEqual(
            originalPosition(sent, FUNCTIONS, place),
            positionAt(sent, sent.indexOf(word)),
            sent,
          );
        }
      },
    ),
  );
});

test('a program is the same with and without a fence, with its result returned or left standing', () => {
  const value = fc.constantFrom('a', 'a.b', '[a, 1]', 'await mcp.fs.read({ a })', '`a`', 'a ? 1 : 2');
  fc.assert(
    fc.property(value, fc.boolean(), (text, isFenced) => {
      const standing = `const a = args.x;\n${text}`;
      const sent = isFenced ? `\`\`\`\n${standing}\n\`\`\`` : standing;
      assert.equal(hashOf(accept(sent).code), hashOf(`const a = args.x;\nreturn ${text}`));
    }),
  );
});
