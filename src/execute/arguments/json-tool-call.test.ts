import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notAProgram, readJsonCode } from './json-tool-call.ts';

test('a call in JSON and a program in quotes are told from programs', () => {
  const call = { name: 'mcp__fs__read', args: { path: 'a' } };
  for (const code of [
    '{"tool": "mcp__fs__read", "arguments": {"path": "a"}}',
    ' {"name": "mcp__fs__read", "input": {"path": "a"}}\n',
  ])
    assert.deepEqual(readJsonCode(code), call);
  assert.equal(readJsonCode(JSON.stringify('return await mcp.fs.read({})')), 'quoted');
  for (const code of [
    '{ return 1 }',
    '"use strict"; return 1',
    '{"name": "Ana", "age": 3}',
    '"done"',
    '({ tool: 1 })',
    '1',
  ])
    assert.equal(readJsonCode(code), undefined, code);
});

test('the error says what to write', () => {
  const { code, hint } = notAProgram({ name: 'x', args: { path: 'a' } }, 'fs:read');
  assert.deepEqual([code, hint], ['syntax_error', 'Write `return await mcp.fs.read({"path":"a"})`.']);
  assert.match(notAProgram('quoted', undefined).hint ?? '', /without quotes/);
});
