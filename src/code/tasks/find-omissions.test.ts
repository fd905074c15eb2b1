import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOmissions, type Omissions } from './find-omissions.ts';

const FOUND: [source: string, found: Omissions][] = [
  ['', { isEmpty: true }],
  ['// nothing\n;;', { isEmpty: true }],
  ['interface A { b: string }', { isEmpty: true }],
  ['return;', { isEmpty: false }],
  ['mcp.fs.read({ path: "a" })', { isEmpty: false, unawaited: 'mcp.fs.read(…)' }],
  ['const a = 1; a + 1;', { isEmpty: false, unreturned: 'a + 1' }],
  ['const a = 1; await mcp.fs.read({ a });', { isEmpty: false, unreturned: 'mcp.fs.read({ a })' }],
  [
    'const r = mcp.fs.read({}); const t = r.text;',
    { isEmpty: false, unreturned: 't', unawaited: 'mcp.fs.read(…)' },
  ],
  ['const r = mcp.fs.read({}); if (await r) { args.x }', { isEmpty: false }],
  ['const all = [mcp.a.b(), mcp.a.c()]; await Promise.all(all); return', { isEmpty: false }],
  ['for (const p of args.all) mcp.fs.drop({ p });', { isEmpty: false, unawaited: 'mcp.fs.drop(…)' }],
];

test('a missing return or await is found where it is', () => {
  for (const [source, found] of FOUND) assert.deepEqual(findOmissions(source), found, source);
});

test('a long expression is shown in part', () => {
  const { unreturned } = findOmissions(`const a = 1;\n${'a + '.repeat(50)}a;`);
  assert.equal(unreturned?.length, 60);
  assert.ok(unreturned?.endsWith('…'));
});
