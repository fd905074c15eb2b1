import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../syntax/parse.ts';
import { namesAllCallees } from './named-callees.ts';

const NAMED = [
  'return 1',
  'const r = await mcp.fs.read({ path: args.path }); return r.items[0].name',
  'const m = mcp; return m.fs.read()',
  'const { fs } = mcp; return fs.read()',
  'return mcp["fs:read"]({ x: 1 })',
  'return (await mcp.fs.list()).rows.map((row) => ({ id: row.id, name: row["name"], [row.id]: 1 }))',
  'const o = {}; for (const row of args.rows) o[row.id] = row.name; return o',
  'const n = {}; for (const w of args.words) { if (!n[w]) n[w] = 0; n[w] = (n[w] ?? 0) + 1; n[w] += 1; n[w]++ } return n',
  'return `#{args.names[args.id]} is #{args.names[args.id] ? 1 : 2}`'.replaceAll('#', '$'),
  'let sum = 0; for (const row of args.rows) sum += row.n; return sum',
];
const HIDDEN = [
  'return (args.o[args.c] ??= 1)("return mcp")()',
  'return (args.o[args.c] || 1)("return mcp")()',
  'const f = (() => 1)[args.c]; return f("return mcp")()',
  'const call = (_, f) => f("return mcp")(); return call`#{[][args.c]}`'.replace('#', '$'),
  'return mcp[args.server].read()',
  'return mcp.fs[args.tool]()',
  'const f = (m) => m.fs.read(); return f(mcp)',
  'const { fs, ...rest } = mcp; return rest[args.x].read()',
  'return [mcp.fs].map((one) => one.drop())',
  'return Object.keys(mcp)',
  'let m = mcp; m = m.fs; return m.read()',
  'return globalThis.mcp.fs.read()',
  'return globalThis["m" + "cp"].fs.read()',
  'return (function () { return this })()["m" + "cp"]',
  'return eval("mcp").fs.read()',
  'return new Function("return mcp")()',
  'return (() => {}).constructor("return mcp")()',
  'return [][args.c][args.c]("return mcp")()',
  'const { constructor: F } = () => {}; return F("return mcp")()',
  'const { [args.c]: F } = () => {}; return F("return mcp")()',
  'return Reflect.get([], "constructor")',
  'return Object.getOwnPropertyDescriptor(args, "x")',
];

test('code that states all it calls is told from code that may call anything', () => {
  for (const source of NAMED) assert.equal(namesAllCallees(parse(source)), true, source);
  for (const source of HIDDEN) assert.equal(namesAllCallees(parse(source)), false, source);
});
