import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from '../syntax/parse.ts';
import { desugarCalls, sourceFunction } from './desugar-calls.ts';
import { findReferences } from './find-references.ts';

const FUNCTIONS = { cap_fs_read: 'fs:read', cap_a_b: 'acme.web.a.b.1234@v1' };

const CASES: [string, string, string][] = [
  ['a call by name', 'return mcp.call("fs:read", { path: 1 })', 'return mcp["fs:read"]({ path: 1 })'],
  ['a version', 'await mcp.call("fs:read@1", x)', 'await mcp["fs:read@1"](x)'],
  ['a prefix', 'mcp.call(`cap:fs:read`)', 'mcp["cap:fs:read"]()'],
  ['type arguments', 'mcp.call<Foo>("a:b", x)', 'mcp["a:b"]<Foo>(x)'],
  ['lines', 'mcp.call(\n  "a:b",\n  x,\n)', 'mcp["a:b"](\n  \nx,\n)'],
  ['calls in calls', 'mcp.call("a:b", mcp.call("c:d"))', 'mcp["a:b"](mcp["c:d"]())'],
  ['an argument that is computed', 'mcp.call(name, x)', 'mcp.call(name, x)'],
  ['a capability of that name', 'mcp.call({ a: 1 })', 'mcp.call({ a: 1 })'],
  ['a server of that name', 'mcp.call.tool("a:b")', 'mcp.call.tool("a:b")'],
  ['another mcp', 'const mcp = {}; mcp.call("a:b")', 'const mcp = {}; mcp.call("a:b")'],
  ['an optional call', 'mcp.call?.("a:b", x)', 'mcp.call?.("a:b", x)'],
  ['text', '"mcp.call(\'a:b\', x)"', '"mcp.call(\'a:b\', x)"'],
  ['a source', 'return cap_fs_read({ a: 1 })', 'return mcp.fs.read({ a: 1 })'],
  ['a pinned source', 'return [cap_a_b()]', 'return [mcp["acme.web.a.b.1234@v1"]()]'],
  ['a source passed on', 'args.map(cap_fs_read)', 'args.map(mcp.fs.read)'],
  ['a source in an object', 'return { cap_fs_read }', 'return { cap_fs_read: mcp.fs.read }'],
  ['a local function', 'const cap_fs_read = 1; cap_fs_read', 'const cap_fs_read = 1; cap_fs_read'],
];

for (const [what, code, expected] of CASES)
  test(`desugars ${what}`, () => {
    assert.equal(desugarCalls(code, FUNCTIONS), expected);
  });

test('whatever the name and the spaces are, the reference has the name, and lines stay', () => {
  const space = fc.stringMatching(/^[ \n]{0,3}$/);
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), space, space, (name, before, after) => {
      const code = `return mcp.call(${before}${JSON.stringify(name)}${after},${before}mark(1))`;
      const written = desugarCalls(code);
      const [reference, ...others] = findReferences(parse(written));
      assert.deepEqual([reference?.keys, others], [[name], []]);
      const lines = (text: string) => text.slice(0, text.indexOf('mark')).split('\n');
      assert.equal(lines(written).length, lines(code).length);
      assert.equal(desugarCalls(written), written);
    }),
  );
});

test('a name that only the run knows is no static reference, and its arguments are not those of a tool', () => {
  const [reference] = findReferences(parse('mcp.call(args.tool ? "a:b" : "c:d", { path: "x" })'));
  assert.deepEqual([reference?.name, reference?.isStatic, reference?.args], [undefined, false, []]);
});

test('a source is called by its name in an identifier', () => {
  assert.deepEqual(['fs:read-json', 'sum', 'a.b:c'].map(sourceFunction), [
    'cap_fs_read_json',
    'cap_sum',
    'cap_a_b_c',
  ]);
});
