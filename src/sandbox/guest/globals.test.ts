import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { DEFAULT_LIMITS, openSandbox } from '../index.ts';

const sandbox = openSandbox();
after(() => sandbox.close());

async function inGuest(code: string): Promise<unknown> {
  const outcome = await sandbox.run(code, {}, async () => null, DEFAULT_LIMITS);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}

/** Evaluates the expression in the guest and here: both must agree. */
async function same(expression: string): Promise<void> {
  const here = new Function(`return ${expression}`)();
  assert.deepEqual(await inGuest(`return ${expression}`), JSON.parse(JSON.stringify(here)));
}

describe('the web platform in the guest does what it does in Node', () => {
  const cases = [
    'btoa("hello") + atob("aGVsbG8=")',
    '[...new TextEncoder().encode("h\\u00e9 \\ud83d\\ude00 \\ud800")]',
    'new TextDecoder().decode(new Uint8Array([104, 195, 169, 255]))',
    'new TextDecoder("utf-16le").decode(new Uint8Array([104, 0]).buffer)',
    '(() => { try { new TextDecoder("nope") } catch (e) { return e.name } })()',
    '(() => { try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name } })()',
    '(() => { try { atob("*") } catch (e) { return e.name } })()',
    'new URL("../b?x=1#y", "https://u:p@h.example:8080/a/c").href',
    '["origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"].map((k) => new URL("https://u:p@h.example:8080/a/c?d=e#f")[k])',
    '[URL.canParse("nope"), URL.canParse("/a", "http://b"), URL.parse("nope"), URL.parse("http://b").href]',
    '(() => { try { new URL("nope") } catch (e) { return e.name } })()',
    '(() => { const u = new URL("http://a.example/?x=1"); u.searchParams.append("y", "a b"); u.hash = "z"; u.pathname = "/q r"; return u.href })()',
    '(() => { const u = new URL("http://a.example/?x=1"); const p = u.searchParams; u.search = "?n=2"; return [p.get("n"), p.get("x"), p.size] })()',
    '[...new URLSearchParams("?a=1&b=%20&a=2")]',
    '(() => { const p = new URLSearchParams({ b: 1, a: 2 }); p.append("b", 3); p.set("b", 4); p.set("c", 5); p.sort(); p.delete("a"); return [p.toString(), p.has("b"), p.has("b", 9), p.getAll("c"), [...p.keys()], [...p.values()]] })()',
    'new URLSearchParams([["a", "1"], ["b", "2"]]).toString()',
    'structuredClone({ a: [1, { b: new Date(0) }], c: null, d: "x" })',
    '[...structuredClone(new Map([[1, new Set([2])]]))].map(([k, v]) => [k, [...v]])',
    '(() => { const a = { list: [1] }; a.self = a; const b = structuredClone(a); return [b.self === b, b !== a, b.list] })()',
    '(() => { try { structuredClone(() => 1) } catch (e) { return e.name } })()',
    '[...structuredClone(new Uint8Array([1, 2, 3]).subarray(1))]',
    'structuredClone(new RangeError("x")) instanceof RangeError',
    'crypto.getRandomValues(new Uint8Array(8)).length',
  ];
  for (const expression of cases) test(expression, () => same(expression));

  test('randomUUID', async () => {
    assert.match(String(await inGuest('return crypto.randomUUID()')), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/);
  });
});

describe('timers', () => {
  test('run in order of their time, pass arguments, and can be cleared', async () => {
    const code = `
      const seen = [];
      const done = new Promise((resolve) => setTimeout(resolve, 40));
      setTimeout((a, b) => seen.push(a + b), 20, 'b', 2);
      setTimeout(() => seen.push('a'), 1);
      clearTimeout(setTimeout(() => seen.push('never'), 5));
      queueMicrotask(() => seen.push('micro'));
      await done;
      return seen`;
    assert.deepEqual(await inGuest(code), ['micro', 'a', 'b2']);
  });

  test('an interval repeats until it is cleared', async () => {
    const code = `
      let count = 0;
      await new Promise((resolve) => {
        const timer = setInterval(() => { if (++count === 3) { clearInterval(timer); resolve(); } }, 1);
      });
      return count`;
    assert.equal(await inGuest(code), 3);
  });
});

test('the console is captured by level, formatted and bounded', async () => {
  const code = `
    console.log('a', 1, null, { b: [1, 'x'], c: undefined });
    console.info([new Map([['k', 1]]), new Set([1]), () => 1, Symbol('s'), 10n]);
    console.warn({ get secret() { throw 1 } });
    console.error(new Date(0), /x/);
    const loop = {}; loop.self = loop;
    console.debug(loop, Array(200).fill(0).length, { deep: { deep: { deep: { deep: { deep: { deep: 1 } } } } } });`;
  const { logs } = await sandbox.run(code, {}, async () => null, DEFAULT_LIMITS);
  assert.deepEqual(logs, [
    { level: 'log', text: 'a 1 null { b: [1, "x"], c: undefined }' },
    { level: 'info', text: '[Map { "k" => 1 }, Set { 1 }, [Function], Symbol(s), 10n]' },
    { level: 'warn', text: '{ secret: [Getter] }' },
    { level: 'error', text: '1970-01-01T00:00:00.000Z /x/' },
    {
      level: 'debug',
      text: '{ self: [Circular] } 200 { deep: { deep: { deep: { deep: { deep: [Object] } } } } }',
    },
  ]);
  const cut = await sandbox.run(
    'for (let i = 0; i < 99; i++) console.log("x".repeat(100))',
    {},
    async () => null,
    {
      ...DEFAULT_LIMITS,
      logBytes: 1_000,
    },
  );
  assert.deepEqual(cut.logs.at(-1), { level: 'warn', text: '[output beyond 1000 bytes was dropped]' });
  assert.ok(cut.logs.length < 10);
});

test('guest code is strict, and has no globals of Node', async () => {
  assert.equal(await inGuest('try { undeclared = 1 } catch (error) { return error.name }'), 'ReferenceError');
  const absent = [
    'process',
    'require',
    'fetch',
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    '__start__',
    'ivm',
  ];
  assert.deepEqual(
    await inGuest(`return ${JSON.stringify(absent)}.filter((name) => name in globalThis)`),
    [],
  );
});

test('the names of servers and tools can be listed, and nothing else becomes a property', async () => {
  const tools = { fs: ['read', 'write'], web: [], ['__proto__']: ['odd'] };
  const listed = async (code: string) => {
    const outcome = await sandbox.run(code, {}, async () => null, DEFAULT_LIMITS, { tools });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return outcome.value;
  };
  assert.deepEqual(await listed('return Object.keys(mcp)'), ['fs', 'web', '__proto__']);
  assert.deepEqual(
    await listed('return [Object.keys(mcp.fs), Object.keys(mcp.web), Object.keys(mcp.none)]'),
    [['read', 'write'], [], []],
  );
  assert.deepEqual(
    await listed(
      'const all = []; for (const name in mcp) all.push(name, typeof mcp[name]); return all.length',
    ),
    6,
  );
  assert.equal(
    await listed('return Object.entries(mcp.fs).every(([, tool]) => typeof tool === "function")'),
    true,
  );
  // The guest may replace what lists are made of.
  assert.deepEqual(
    await listed('Array.prototype[0] = 5; Object.prototype.get = 1; return Object.keys(mcp.fs)'),
    ['read', 'write'],
  );
  assert.deepEqual(await inGuest('return [Object.keys(mcp), Object.keys(mcp.fs)]'), [[], []]);
});
