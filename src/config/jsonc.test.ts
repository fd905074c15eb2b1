import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonc } from './jsonc.ts';

test('parsing reads back whatever JSON.stringify writes', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5, noUnicodeString: false }),
      fc.constantFrom(0, 2, '\t'),
      (value, indent) => {
        fc.pre(!JSON.stringify(value).includes('"__proto__"'));
        assert.deepEqual(parseJsonc(JSON.stringify(value, null, indent)), {
          value: JSON.parse(JSON.stringify(value)),
        });
      },
    ),
  );
});

test('any text gives a value or a position, and never throws', () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    'true',
    '//',
    '/*',
    '*/',
    '\n',
    '"',
    '\\',
    '-',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(token).map((tokens) => tokens.join('')),
  );
  fc.assert(
    fc.property(text, (json) => {
      const parsed = parseJsonc(json);
      assert.ok('value' in parsed || (parsed.line >= 1 && parsed.column >= 1));
    }),
    { numRuns: 1000 },
  );
});

test('comments, trailing commas and a byte order mark are ignored', () => {
  const text = '\uFEFF// first\n{ /* a */ "a": [1, 2,], "b": "// no comment", }\r\n// last';
  assert.deepEqual(parseJsonc(text), { value: { a: [1, 2], b: '// no comment' } });
});

const BROKEN: [text: string, line: number, column: number, problem: string][] = [
  ['', 1, 1, 'the file is empty; expected "{"'],
  ['  // nothing', 1, 13, 'the file is empty; expected "{"'],
  ['{\n  "a" 1 }', 2, 7, 'expected ":" after the key "a", found "1"'],
  ['{\n  "a": 1\n  "b": 2 }', 3, 3, 'expected "," or "}", found a string'],
  ['[1 2]', 1, 4, 'expected "," or "]", found "2"'],
  ['{ a: 1 }', 1, 3, 'expected a key in double quotes, found "a"'],
  ['{ "a": }', 1, 8, 'expected a value, found "}"'],
  ['{ "a": 1', 1, 9, 'expected "," or "}", found the end of the file'],
  ['{ "a": "x\n" }', 1, 8, 'a string without its closing quote'],
  ['{ "a": "\\q" }', 1, 8, 'a string with a bad escape or a control character'],
  ['{} {}', 1, 4, 'expected the end of the file, found "{"'],
  ['{ /* ', 1, 3, 'a comment without its closing "*/"'],
  ['{ "a": 1,\r\n "a": 2 }', 2, 2, 'the key "a" is here twice'],
  ['{ "__proto__": 1 }', 1, 3, 'the key "__proto__" is not allowed'],
  ['['.repeat(100_000), 1, 66, 'nested deeper than 64 levels'],
];

for (const [text, line, column, problem] of BROKEN) {
  test(`broken: ${problem} (${JSON.stringify(text.slice(0, 20))})`, () => {
    assert.deepEqual(parseJsonc(text), { problem, line, column });
  });
}
