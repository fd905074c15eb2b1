import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatedCalls } from './repeated-calls.ts';

test('each of several calls of a tool is changed in a copy, however the tool is spelled', () => {
  const source = `const { post } = mcp.chat; if (a) await mcp["chat"].post({ text: "a" }); else await post({ text: "b" }); return await mcp.x.get()`;
  const copies = repeatedCalls(source);
  assert.equal(copies.length, 2);
  assert.ok(copies.some((copy) => copy.includes('if (a) await mcp.nobody.calls_this({ text: "a" })')));
  assert.ok(copies.some((copy) => copy.includes('else await mcp.nobody.calls_this({ text: "b" })')));
});

test('calls of different tools are left as they are', () => {
  assert.deepEqual(repeatedCalls('await mcp.x.put(await mcp.x.get())'), []);
});
