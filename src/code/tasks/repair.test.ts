import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../testing/effort.ts';
import { parse } from '../syntax/parse.ts';
import { repair } from './repair.ts';

describe('a repair of code that does not parse', () => {
  const cases: Record<string, [code: string, repaired: string | undefined]> = {
    'a value is missing': ['const a = ;\nreturn a', 'Perhaps line 1 should be `const a = null;`.'],
    'a bracket is missing': ['return [1, 2', 'Perhaps line 1 should be `return [1, 2]`.'],
    'a bracket is missing inside': [
      'const f = g((x) => x + 1;\nreturn f',
      'Perhaps line 1 should be `const f = g((x) => x + 1);`.',
    ],
    'a quote is missing': ['return "abc', 'Perhaps line 1 should be `return "abc"`.'],
    'a bracket is too much': ['return f(1))', 'Perhaps line 1 should be `return f(1)`.'],
    'several brackets are missing at the end': [
      'if (a) {\n  return f({\n    b: [1,\n',
      'Perhaps `]})}` is missing at the end.',
    ],
    'the code parses': ['return 1', undefined],
    'nothing near it parses': ['this is not code at all', undefined],
    'the code has several blocks': ['```ts\n1\n```\n```ts\n2\n```', undefined],
  };
  for (const [title, [code, repaired]] of Object.entries(cases)) {
    test(title, () => assert.equal(repair(code), repaired));
  }
});

test('a line that is suggested makes the code parse, whichever character was lost', () => {
  const program =
    'const files = await mcp.fs.list({ path: "/a" });\nreturn files.map((one) => ({ name: one[0] }));';
  fc.assert(
    fc.property(fc.nat(program.length - 1), (at) => {
      const broken = program.slice(0, at) + program.slice(at + 1);
      const [, line, text] = /^Perhaps line (\d+) should be `(.*)`\.$/s.exec(repair(broken) ?? '') ?? [];
      if (line === undefined || text === undefined) return;
      parse(
        broken
          .split('\n')
          .with(Number(line) - 1, text)
          .join('\n'),
      );
    }),
    runs(200),
  );
});

test('any text is either repaired or left, without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'(){}[]`"\'$;,.= \nabc`') }), (text) => {
      repair(text);
    }),
    runs(200),
  );
});
