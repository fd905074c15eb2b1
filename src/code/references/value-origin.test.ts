import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../syntax/parse.ts';
import { positionAt } from '../syntax/positions.ts';
import { originAt, originOfResult } from './value-origin.ts';

/** `^` marks the place that V8 reports. */
const READS: [source: string, name: string | undefined, text?: string][] = [
  ['const r = await mcp.fs.read({}); r.text.^trim()', 'fs:read', 'r.text'],
  ['const r = await mcp.fs.read({}); return r.^split("x")', 'fs:read', 'r'],
  ['return (await mcp.fs.read({})).a.^b', 'fs:read', '(await mcp.fs.read({})).a'],
  ['const { a } = await mcp.fs.read({}); a.^b', 'fs:read', 'a'],
  ['const t = await mcp.fs.read({}); JSON.^parse(t)', 'fs:read', 't'],
  ['const [x, y] = await Promise.all([mcp.a.b(), mcp.c.d()]); y.z.^q', 'c:d', 'y.z'],
  ['const { fs } = mcp; const r = await fs.read(); const { x } = r; for (const i of ^x) i', 'fs:read', 'x'],
  ['const r = await mcp.fs.read({}); const t = r.rows.find((one) => one); t.a.^b', 'fs:read', 't.a'],
  ['const r = (await mcp.fs.read({})) as any; r!.a.^b', 'fs:read', 'r!.a'],
  ['args.a.^b', undefined],
  ['let r = await mcp.fs.read({}); r = {}; r.a.^b', undefined],
  ['const f = (x) => x.a.^b; f(await mcp.fs.read({}))', undefined],
];

test('the call is found whose result is read at a place', () => {
  for (const [marked, name, text] of READS) {
    const source = marked.replace('^', '');
    const found = originAt(parse(source), positionAt(source, marked.indexOf('^')));
    assert.deepEqual(found, name === undefined ? undefined : { name, text }, marked);
  }
});

test('the call is found whose result is returned', () => {
  const nameIn = (source: string) => originOfResult(parse(source))?.name;
  assert.equal(nameIn('const r = await mcp.fs.read({}); return r.text'), 'fs:read');
  assert.equal(nameIn('(await mcp.fs.read({})).text'), 'fs:read');
  assert.equal(nameIn('return args.x'), undefined);
  assert.equal(nameIn('await mcp.fs.read({}); const a = 1'), undefined);
  assert.equal(nameIn('if (args.x) return 1; return mcp.fs.read()'), 'fs:read');
});
