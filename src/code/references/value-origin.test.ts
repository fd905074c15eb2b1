import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../syntax/parse.ts';
import { positionAt } from '../syntax/positions.ts';
import { originAt, originOfResult } from './value-origin.ts';

/** `^` marks the place that V8 reports. `read` is the object, the property and the rest of a read of the result itself. */
const READS: [source: string, name: string | undefined, text?: string, read?: (string | undefined)[]][] = [
  ['const r = await mcp.fs.read({}); r.text.^trim()', 'fs:read', 'r.text', ['r', 'text', '.trim()']],
  ['const r = await mcp.fs.read({}); return r.^split("x")', 'fs:read', 'r', ['r', undefined, '.split("x")']],
  [
    'return (await mcp.fs.read({})).a.^b',
    'fs:read',
    '(await mcp.fs.read({})).a',
    ['(await mcp.fs.read({}))', 'a', '.b'],
  ],
  ['const { a } = await mcp.fs.read({}); a.^b', 'fs:read', 'a', [undefined, 'a', '.b']],
  [
    'const t = await mcp.fs.read({}); t.^map((e) => {\n  return e;\n})',
    'fs:read',
    't',
    ['t', undefined, '.map(…)'],
  ],
  ['const t = await mcp.fs.read({}); JSON.^parse(t)', 'fs:read', 't', ['t', undefined, '']],
  ['const [x, y] = await Promise.all([mcp.a.b(), mcp.c.d()]); y.z.^q', 'c:d', 'y.z', ['y', 'z', '.q']],
  ['const r = await Promise.race([mcp.a.b(), mcp.c.d()]); r[1].z.^q', undefined],
  [
    'const { fs } = mcp; const r = await fs.read(); const { x } = r; for (const i of ^x) i',
    'fs:read',
    'x',
    [undefined, 'x', ''],
  ],
  ['const r = await mcp.fs.read({}); const t = r.rows.find((one) => one); t.a.^b', 'fs:read', 't.a'],
  ['const r = (await mcp.fs.read({})) as any; r!.a.^b', 'fs:read', 'r!.a', ['r!', 'a', '.b']],
  ['args.a.^b', undefined],
  ['let r = await mcp.fs.read({}); r = {}; r.a.^b', undefined],
  ['const f = (x) => x.a.^b; f(await mcp.fs.read({}))', undefined],
];

test('the call is found whose result is read at a place, and how it is read', () => {
  for (const [marked, name, text, read] of READS) {
    const source = marked.replace('^', '');
    const found = originAt(parse(source), positionAt(source, marked.indexOf('^')));
    const expected = { name, text, ...(read && { read: { object: read[0], key: read[1], rest: read[2] } }) };
    assert.deepEqual(found, name === undefined ? undefined : expected, marked);
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
