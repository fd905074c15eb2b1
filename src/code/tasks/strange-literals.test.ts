// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs in strings
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strangeLiterals } from './strange-literals.ts';

const strange = (source: string, other: string, args = {}, otherArgs = {}) =>
  strangeLiterals(source, { args, other, otherArgs });

test('a literal that only one program has is changed in a copy of it', () => {
  assert.deepEqual(strange('return a > 30 ? "high" : "low"', 'return a > 30 ? "high" : "small"'), [
    'return a > 30 ? "high" : "~low"',
  ]);
  assert.deepEqual(strange('return a.slice(0, 30)', 'return a.slice(0, 20)'), ['return a.slice(0, (97))']);
  assert.deepEqual(strange(`return \`\${a} above 30\``, 'return a + " above " + b'), [
    `return \`\${a} ~above 30\``,
  ]);
});

test('a text that the other one builds of its arguments and texts is known there', () => {
  const written = 'return await mcp.x.get({ path: "web/items/" + id })';
  const built = `return await mcp.x.get({ path: \`\${args.project}/items/\${id}\` })`;
  assert.deepEqual(strange(written, built, {}, { project: 'web' }), []);
  assert.deepEqual(strange(built, written, { project: 'web' }, {}), []);
});

test('arguments count as literals of the other program, lists item by item', () => {
  assert.deepEqual(strange('return f("a1", 42)', 'return f(...args.all)', {}, { all: ['a1', 42] }), []);
});

test('nothing is made of 0, 1, lines for the console, messages of errors, and limits of loops', () => {
  const source = `for (let page = 1; page < 50; page++) console.log("page " + page);
    if (!a) throw new Error("no a");
    return [0, 1, -1, "", ", "]`;
  assert.deepEqual(strange(source, 'return []'), []);
});
