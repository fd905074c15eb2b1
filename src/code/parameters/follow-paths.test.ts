import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from '../syntax/parse.ts';
import { generalise } from './generalise.ts';

const PIECES = [
  '/data',
  '/data/m1',
  '/data/m1/',
  '/m1',
  'C:\\logs',
  'https://x.test/a',
  '`',
  '$',
  '{',
  '\n',
  '.',
  'b',
];
const text = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));
const expression = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  fc.tuple(text, text).map(([a, b]) => `${JSON.stringify(a)} + x + ${JSON.stringify(b)}`),
  fc.tuple(text, text).map(([a, b]) => `\`${inTemplate(a)}\${x}${inTemplate(b)}\``),
);
const program = fc
  .array(fc.tuple(fc.constantFrom('list', 'read'), expression), { minLength: 1, maxLength: 6 })
  .map((calls) => calls.map(([tool, path]) => `mcp.fs.${tool}({ path: ${path} });`).join('\n'));

test('with the literals as arguments, a program passes what it passed before', () => {
  fc.assert(
    fc.property(program, (source) => {
      const { code, parameters } = generalise(parse(source), { toolSchema: () => undefined });
      const args = Object.fromEntries(parameters.map(({ name, default: value }) => [name, value]));
      assert.deepEqual(passedBy(code, args), passedBy(source, {}));
    }),
    { numRuns: 300 },
  );
});

test('with another folder, every text that held the old one holds the new one', () => {
  const folder = fc.constantFrom('/data/m1', 'C:\\logs\\a', 'https://x.test/a');
  const around = fc.tuple(fc.constantFrom('', 'in ', '"'), fc.constantFrom('', '/', ' and', '\\'));
  fc.assert(
    fc.property(folder, fc.array(around, { minLength: 1, maxLength: 5 }), (path, places) => {
      const texts = places.map(([before, after]) => `${before}${path}${after}`);
      const lines = texts.map((held) => `mcp.fs.read({ path: ${JSON.stringify(held)} + x });`);
      const source = [`mcp.fs.list({ path: ${JSON.stringify(path)} });`, ...lines].join('\n');
      const { code } = generalise(parse(source), { toolSchema: () => undefined });
      const passed = passedBy(code, { path: '/other', list_path: '/other' });
      assert.deepEqual(passed, ['/other', ...texts.map((held) => `${held.replace(path, '/other')}X`)]);
    }),
  );
});

/** Runs a program of such calls, and returns the paths that it passed. */
function passedBy(code: string, args: Record<string, unknown>): string[] {
  const passed: string[] = [];
  const call = ({ path }: { path: string }) => passed.push(path);
  new Function('mcp', 'args', 'x', code)({ fs: { list: call, read: call } }, args, 'X');
  return passed;
}

function inTemplate(value: string): string {
  return value.replace(/[\\`$]/g, '\\$&');
}
