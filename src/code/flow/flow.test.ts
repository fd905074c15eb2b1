import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastCpuOf } from '../../testing/cpu-time.ts';
import { canonicalise, flowFormsOf } from './flow.ts';

const options = { nameOf: (name: string) => name, isReadOnly: () => true, isData: () => true };

function codeOf(source: string, isReadOnly = true): string | undefined {
  return canonicalise(source, { ...options, isReadOnly: () => isReadOnly })?.code;
}

function hashOf(source: string): string | undefined {
  const code = codeOf(source);
  return code === undefined ? undefined : flowFormsOf(code, options)?.forms[0]?.hash;
}

const PLAIN = 'await mcp.fs.cd({ folder: "x" });\nreturn await mcp.fs.mv({ source: "a", destination: "b" });';

const STYLES: Record<string, string> = {
  'results in variables': `const r = await mcp.fs.cd({ folder: "x" }); const s = await mcp.fs.mv({ source: "a", destination: "b" }); return s`,
  'a config object': `const c = { folder: "x", move: { from: "a", to: "b" } };
    await mcp.fs.cd({ folder: c.folder }); return mcp.fs.mv({ destination: c.move.to, source: c.move.from })`,
  'a helper with the name of the tool': `const run = async (tool, a) => mcp.fs[tool](a);
    await run("cd", { folder: "x" }); return await run("mv", { source: "a", destination: "b" })`,
  'a loop over tuples': `let last; for (const [tool, a] of [["cd", { folder: "x" }], ["mv", { source: "a", destination: "b" }]]) {
    last = await mcp.fs[tool](a); } return last`,
  'Promise.all': `const [, moved] = await Promise.all([mcp.fs.cd({ folder: "x" }), mcp.fs.mv({ source: "a", destination: "b" })]); return moved`,
  'an async main and tools by destructuring': `async function main() { const { cd, mv } = mcp.fs; await cd({ folder: 'x' });
    return await mv({ source: 'a', destination: 'b' }) } return main()`,
  'texts put together': `const dir = "x"; await mcp.fs.cd({ folder: \`\${dir}\` }); return mcp.fs.mv({ source: ["a"].join(), destination: "" + "b" })`,
  'catch and rethrow': `try { await mcp.fs.cd({ folder: "x" }); } catch (error) { throw error }
    return await mcp.fs.mv({ source: "a", destination: "b" })`,
  'logs and comments': `console.log("start"); /* go */ await mcp["fs"].cd({ "folder": "x" }); return await mcp["fs:mv"]({ source: "a", destination: "b" })`,
  'a counting loop': `const all = [{ folder: "x" }]; for (let i = 0; i < all.length; i++) await mcp.fs.cd(all[i]);
    return mcp.fs.mv(Object.assign({ source: "a" }, { destination: "b" }))`,
};

for (const [style, source] of Object.entries(STYLES)) {
  test(`one procedure, however it is written: ${style}`, () => assert.equal(hashOf(source), hashOf(PLAIN)));
}

const OTHERS: Record<string, string> = {
  'the calls in another order': `const r = await mcp.fs.mv({ source: "a", destination: "b" }); await mcp.fs.cd({ folder: "x" }); return r`,
  'another key': `await mcp.fs.cd({ folder: "x" }); return mcp.fs.mv({ source: "a", target: "b" })`,
  'another result': `const r = await mcp.fs.cd({ folder: "x" }); await mcp.fs.mv({ source: "a", destination: "b" }); return r`,
  'a guard': `const r = await mcp.fs.cd({ folder: "x" }); if (!r.ok) return null; return mcp.fs.mv({ source: "a", destination: "b" })`,
  'a link': `const r = await mcp.fs.cd({ folder: "x" }); return mcp.fs.mv({ source: r.name, destination: "b" })`,
  'a failure that is caught': `try { await mcp.fs.cd({ folder: "x" }) } catch {} return mcp.fs.mv({ source: "a", destination: "b" })`,
};

for (const [difference, source] of Object.entries(OTHERS)) {
  test(`another procedure: ${difference}`, () => assert.notEqual(hashOf(source), hashOf(PLAIN)));
}

test('a loop with one push a round and Promise.all over a list are one', () => {
  const loop = `const l = await mcp.fs.ls({}); const out = []; for (const f of l.files) { const c = await mcp.fs.cat({ file: f.name }); out.push(c.text) } return out`;
  const all = `const { files } = await mcp.fs.ls(); return Promise.all(files.map(async ({ name }) => (await mcp.fs.cat({ file: name })).text))`;
  assert.ok(hashOf(loop));
  assert.equal(hashOf(loop), hashOf(all));
});

test('calls that may write are made in turn, and calls that only read together', () => {
  const source = 'const [a, b] = await Promise.all([mcp.x.one({}), mcp.x.two({})]); return [a, b]';
  assert.match(codeOf(source, true) ?? '', /Promise\.all/);
  assert.equal(
    codeOf(source, false),
    'const one = await mcp.x.one({});\nconst two = await mcp.x.two({});\nreturn [one, two];',
  );
});

test('one literal that is passed twice is one constant, two equal literals are two', () => {
  assert.match(
    codeOf('const zip = "1"; await mcp.x.a({ zip }); await mcp.x.b({ code: zip });') ?? '',
    /^const zip = "1";/,
  );
  assert.doesNotMatch(codeOf('await mcp.x.a({ zip: "1" }); await mcp.x.b({ code: "1" });') ?? '', /const/);
});

test('one call whose result is not returned does not become the result', () => {
  const code = 'await mcp.x.a({ b: 1 });\nreturn;';
  assert.equal(codeOf('const r = await mcp.x.a({ b: 1 });'), code);
  assert.equal(codeOf(code), code);
  assert.notEqual(hashOf(code), hashOf('await mcp.x.a({ b: 1 })'));
});

test('a value that is computed of a literal is not that literal', () => {
  const source = 'const n = "5"; await mcp.x.a({ n: Number(n), text: n });';
  assert.equal(codeOf(source), 'await mcp.x.a({ n: 5, text: "5" });\nreturn;');
});

test('a list that is spread before a later call is spread there too', () => {
  const source = 'const r = await mcp.x.a({}); const all = [...r.list, 1]; await mcp.x.b({}); return 2';
  assert.equal(
    codeOf(source),
    'const a = await mcp.x.a({});\nvoid [...a.list];\nawait mcp.x.b({});\nreturn 2;',
  );
});

test('a local mcp is not the real one', () => {
  const source = 'const f = (mcp) => mcp.x.a({}); await mcp.x.b({}); return f({ x: { a: () => 1 } })';
  assert.equal(codeOf(source), 'await mcp.x.b({});\nreturn 1;');
});

test('an object filled by key in a loop and Object.fromEntries are one', () => {
  const loop =
    'const l = await mcp.fs.ls({}); const out = {}; for (const f of l.files) { const c = await mcp.fs.cat({ file: f }); out[c.name] = c.text } return out';
  const entries =
    'const l = await mcp.fs.ls({}); return Object.fromEntries(await Promise.all(l.files.map(async (file) => { const c = await mcp.fs.cat({ file }); return [c.name, c.text] })))';
  assert.ok(codeOf(loop));
  assert.equal(hashOf(loop), hashOf(entries));
});

test('a key is computed before the calls of its value are made', () => {
  const source = 'const r = await mcp.x.a({}); const o = {}; o[r.a.b] = await mcp.x.b({}); return o';
  assert.match(codeOf(source) ?? '', /r?a\.a\.b;\nconst b = await mcp\.x\.b/);
});

test('a key that a call returns is asked for once', () => {
  const source =
    'const d = await mcp.x.a({}); const o = {}; o[await mcp.x.c({})] = 1; return [d[(await mcp.x.b({})).k], o]';
  for (const call of ['mcp.x.b', 'mcp.x.c']) assert.equal(codeOf(source)?.split(call).length, 2, call);
});

test('an argument that adds to the same list adds first', () => {
  const source = 'const out = []; out.push(out.push("x")); return await mcp.x.a({ out })';
  assert.equal(codeOf(source), 'return await mcp.x.a({ out: ["x", 1] });');
});

/** Programs that are made to blow the reading up, or that do what it does not follow: it gives up, and soon. */
const HOSTILE: Record<string, string> = {
  'a value that doubles': `let n = await mcp.x.a({}); ${'n = n + n;'.repeat(300)} return n`,
  'a text that doubles': `let n = "aa"; ${'n = n + n;'.repeat(60)} return mcp.x.a({ n })`,
  'an object in itself': 'const o = {}; o.o = o; return mcp.x.a(o)',
  'a list that doubles': `let n = [await mcp.x.a({})]; ${'n = [n, n];'.repeat(300)} return n`,
  recursion: 'const f = async (n) => { await mcp.x.a({ n }); return f(n + 1) }; return f(0)',
  'a loop without end': 'for (let i = 0; ; i++) await mcp.x.a({ i });',
  'loops in loops':
    'for (let i = 0; i < 1e3; i++) for (let j = 0; j < 1e3; j++) for (let k = 0; k < 1e3; k++) await mcp.x.a({ i });',
  'thousands of calls': 'await mcp.x.a({ b: 1 });\n'.repeat(2000),
  'many branches': `const r = await mcp.x.a({}); ${'if (r.a) { await mcp.x.a({}); if (r.b) return 1; }'.repeat(40)} return 2`,
  'a generator': 'function* g() { yield 1 } for (const x of g()) await mcp.x.a({ x });',
  'a getter': 'const o = { get a() { return Date.now() } }; return mcp.x.a({ a: o.a, b: o.a })',
  'a proxy': 'const p = new Proxy({}, {}); return mcp.x.a(p)',
  'a label':
    'outer: for (const x of [1]) { for (const y of [2]) { await mcp.x.a({ x, y }); continue outer } }',
  'mcp passed around': 'const call = (m) => m[String(Date.now())]; return call(mcp)()',
  'a result that is changed': 'const r = await mcp.x.a({}); r.list.push(1); return mcp.x.a(r)',
  'a list that is sorted in place':
    'const r = await mcp.x.a({}); const l = r.list; l.sort(); return mcp.x.a({ l })',
  'a list that is sorted in place, from a helper':
    'const r = await mcp.x.a({}); const l = r.list.filter(Boolean); const g = () => l; g().sort(); return mcp.x.a({ l })',
  'a list that is sorted in place, from a method of an object':
    'const r = await mcp.x.a({}); const l = r.list.filter(Boolean); const o = { filter: () => l }; o.filter().sort(); return mcp.x.a({ l })',
  'a variable that a closure changes':
    'let n = 0; const f = () => n++; const r = await mcp.x.a({}); r.list.forEach(f); return mcp.x.a({ n })',
  'a list that is put before itself': `let n = [1, 2]; ${'n = [...n, ...n];'.repeat(60)} return mcp.x.a({ n })`,
  'pushes in the order of answers':
    'const out = []; await Promise.all(["a", "b"].map(async (x) => { out.push(await mcp.x.a({ x })) })); return out',
  'a promise that try does not guard': 'try { return mcp.x.a({}) } catch { return 1 }',
  'a call that nobody awaits': 'mcp.x.a({}); return 1',
  'a list that is read while it grows':
    'const r = await mcp.x.a({}); const out = []; for (const x of r.list) out.push(x + out.length); return out',
  'the length of a list that grows':
    'const r = await mcp.x.a({}); const out = []; for (const x of r.list) await mcp.x.a({ n: out.push(x) }); return out',
  'a list that a helper reads while it grows':
    'const r = await mcp.x.a({}); const out = []; const n = () => out.length; for (const x of r.list) { await mcp.x.a({ n: n() }); out.push(x) } return out',
  'a place of a list that each round writes':
    'const r = await mcp.x.a({}); const out = []; for (const x of r.list) out[0] = x; return out',
  'counts by key':
    'const r = await mcp.x.a({}); const n = {}; for (const x of r.list) n[x] = (n[x] ?? 0) + 1; return n',
};

for (const [name, source] of Object.entries(HOSTILE)) {
  test(`not followed, and soon: ${name}`, async () => {
    const ms = await leastCpuOf(() => assert.equal(codeOf(source), undefined), 1500);
    assert.ok(ms < 1500, `took ${ms} ms`);
  });
}
