import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '../identity/normal-form.ts';
import { rewriteReferences } from './rewrite-references.ts';

const FQDN = 'local.default.fs.read.a7f3';
const SAVE = new Map([
  ['fs:read', FQDN],
  ['fs:Read', FQDN],
  ['sum', 'local.default.util.sum.c1c1'],
  ['fs:my-act', 'l.d.fs.my-act.0000'],
]);
const SHOW = new Map([
  [FQDN, 'fs:read'],
  ['local.default.util.sum.c1c1', 'sum'],
  ['l.d.fs.my-act.0000', 'fs:my-act'],
]);

test('references to capabilities become FQDNs, references to tools stay as written', () => {
  const cases: [source: string, saved: string][] = [
    ['mcp.fs.read(1); mcp.gh.list()', `mcp["${FQDN}"](1); mcp.gh.list()`],
    ['mcp?.fs?.Read?.(x)', `mcp["${FQDN}"]?.(x)`],
    ['mcp["fs:read@v1"](1)', `mcp["${FQDN}@v1"](1)`],
    ['paths.map(mcp.fs.read)', `paths.map(mcp["${FQDN}"])`],
    ['const f = mcp.fs.read; f(1)', `const f = mcp["${FQDN}"]; f(1)`],
    [
      'const f = mcp.fs.read; { const mcp = 1; f(mcp) }',
      `const f = mcp["${FQDN}"]; { const mcp = 1; f(mcp) }`,
    ],
    ['(mcp as any).fs.read!(1)', `mcp["${FQDN}"]!(1)`],
    ['return mcp.fs["my-act"]()', 'return mcp["l.d.fs.my-act.0000"]()'],
    ['mcp[s].read()', 'mcp[s].read()'],
  ];
  for (const [source, saved] of cases) assert.equal(rewriteReferences(source, SAVE), saved, source);
});

test('a reference through a local name is written out, and an unused name is removed', () => {
  const cases: [source: string, saved: string][] = [
    ['const { fs } = mcp; fs.read(1); fs.tool(2)', `const { fs } = mcp; mcp["${FQDN}"](1); fs.tool(2)`],
    ['a\nconst { fs } = mcp\nfs.read(1)', `a\n;\nmcp["${FQDN}"](1)`],
    ['const m = mcp; m.fs.read()', `; mcp["${FQDN}"]()`],
    ['const { read: r, x } = mcp.fs; r(1); x(2)', `const { x } = mcp.fs; mcp["${FQDN}"](1); x(2)`],
    ['const { fs: { read, x } }: any = mcp; read(x)', `const { fs: { x } }: any = mcp; mcp["${FQDN}"](x)`],
    [
      'const { read } = mcp.fs; return { read, z: read }',
      `; return { read: mcp["${FQDN}"], z: mcp["${FQDN}"] }`,
    ],
    ['const { fs } = mcp; const { read } = fs; read()', `; ; mcp["${FQDN}"]()`],
    [
      'const { read, ...rest } = mcp.fs; read(); rest.y()',
      `const { read, ...rest } = mcp.fs; mcp["${FQDN}"](); rest.y()`,
    ],
    [
      'const { read } = mcp.fs; { const mcp = 1; read(mcp) }',
      'const { read } = mcp.fs; { const mcp = 1; read(mcp) }',
    ],
    ['for (const { fs } = mcp; fs.read(); ) {}', `for (const { fs } = mcp; mcp["${FQDN}"](); ) {}`],
  ];
  for (const [source, saved] of cases) assert.equal(rewriteReferences(source, SAVE), saved, source);
});

test('shown code has the current names', () => {
  assert.equal(
    rewriteReferences(`return mcp["${FQDN}"](await mcp["local.default.util.sum.c1c1"]())`, SHOW),
    'return mcp.fs.read(await mcp["sum"]())',
  );
  assert.equal(rewriteReferences(`mcp["${FQDN}@v1"]()`, SHOW), 'mcp["fs:read@v1"]()');
  assert.equal(
    rewriteReferences(`mcp["${FQDN}"]()`, new Map([[FQDN, 'files:load_json']])),
    'mcp.files.load_json()',
  );
});

test('saved code has one hash, whatever its capabilities are called and however they are referenced', () => {
  const renamed = new Map([['files:load', FQDN]]);
  const hash = hashOf(rewriteReferences('return await mcp.fs.read({ a })', SAVE));
  assert.equal(hashOf(rewriteReferences('return await mcp.files.load({ a })', renamed)), hash);
  assert.equal(hashOf(rewriteReferences('const { read } = mcp.fs; return await read({ a })', SAVE)), hash);
});
