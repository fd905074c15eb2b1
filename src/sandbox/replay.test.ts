import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  compareAll,
  openSandbox,
  type ReplayRequest,
  type Transcript,
  type World,
  worldsFor,
} from './index.ts';

const sandbox = openSandbox({ warm: 1 });
after(() => sandbox.close());

const RECORDED: World = { kind: 'recorded', seed: 0 };
const calls = [
  { name: 'a:list', args: { q: 'x' }, result: { ids: ['c1', 'c2'] } },
  { name: 'a:get', args: { id: 'c1' }, result: { id: 'c1', n: 1 } },
  { name: 'a:get', args: { id: 'c2' }, result: { id: 'c2', n: 2 } },
  { name: 'a:post', args: { text: 'hi' }, error: 'no such channel' },
];

async function replay(
  codes: string[],
  more: Partial<ReplayRequest> = {},
  limits = {},
): Promise<Transcript[][]> {
  const programs = codes.map((code) => ({ code, args: { q: 'x' } }));
  const request = { programs, worlds: [RECORDED], calls, reads: ['a:list', 'a:get'], ...more };
  // Tests share the machine, and a process may have to start first.
  const outcome = await sandbox.replay(request, { wallMs: 20_000, ...limits });
  assert.ok(!('failed' in outcome), JSON.stringify(outcome));
  return outcome;
}

/** Replays one program in the recorded world. */
async function recorded(code: string, more: Partial<ReplayRequest> = {}): Promise<Transcript> {
  const [[transcript] = []] = await replay([code], more);
  return transcript as Transcript;
}

async function failureOf(code: string, limits = {}): Promise<string> {
  const outcome = await sandbox.replay(
    { programs: [{ code, args: {} }], worlds: [RECORDED], calls, reads: [] },
    limits,
  );
  assert.ok('failed' in outcome, JSON.stringify(outcome));
  return outcome.failed;
}

describe('the recorded world', () => {
  test('answers as recorded, and the transcript has all calls with sorted arguments', async () => {
    const code = `
      const { ids } = await mcp.a.list({ q: args.q });
      const found = await Promise.all(ids.map((id) => mcp['a:get']({ id })));
      return found.map(({ n }) => n);`;
    assert.deepEqual(await recorded(code), {
      calls: [
        { name: 'a:list', args: '{"q":"x"}', unanswered: 0 },
        { name: 'a:get', args: '{"id":"c1"}', unanswered: 0 },
        { name: 'a:get', args: '{"id":"c2"}', unanswered: 1 },
      ],
      end: 'value',
      value: '[1,2]',
    });
    const { calls: made } = await recorded('await mcp.a.put({ b: 1, a: { d: 1, c: 2 } }).catch(() => 1)');
    assert.deepEqual(made, [{ name: 'a:put', args: '{"a":{"c":2,"d":1},"b":1}', unanswered: 0 }]);
  });

  test('a recorded error is an exception with its message and code', async () => {
    const code = `try { await mcp.a.post({ text: 'hi' }) } catch (error) { return [error.message, error.code, error.tool] }`;
    assert.equal((await recorded(code)).value, '["no such channel","tool_failed","a.post"]');
    const failed = await recorded(`await mcp.a.post({ text: 'hi' })`);
    assert.deepEqual([failed.end, failed.message], ['failure', 'no such channel']);
  });

  test('spellings have the names that the program says, else those that differ in case, _ and - alone', async () => {
    const program = { code: 'return [await mcp.A.Get({ id: "c1" }), await mcp.x.y({ id: "c2" })]', args: {} };
    const names = { 'x:y': 'a:get' };
    const [[transcript] = []] = await replay([], { programs: [{ ...program, names }] });
    assert.deepEqual(
      transcript?.calls.map(({ name }) => name),
      ['a:get', 'a:get'],
    );
    assert.equal(transcript?.value, '[{"id":"c1","n":1},{"id":"c2","n":2}]');
    const read = await recorded('return pml.lookup("x").catch((error) => error.message)');
    assert.deepEqual(read.calls, [{ name: 'pml.lookup', args: '"x"', unanswered: 0 }]);
  });

  test('an unknown call is answered from samples, with the arguments that the answer repeats, or fails', async () => {
    const { value } = await recorded('return mcp.a.get({ id: "zz" })');
    assert.match(String(value), /^\{"id":"zz","n":[12]\}$/);
    const sampled = await recorded('return mcp.b.c({})', { samples: { 'b:c': [7] } });
    assert.equal(sampled.value, '7');
    assert.equal((await recorded('return mcp.b.c({})')).end, 'failure');
  });
});

describe('a replayed program', () => {
  test('never waits for its timers, which fire in their order once no answer is under way', async () => {
    const code = `
      const seen = [];
      const later = (ms, what) => new Promise((resolve) => setTimeout(() => resolve(seen.push(what)), ms));
      const repeat = setInterval(() => seen.push('tick'), 40_000);
      await Promise.all([later(100_000, 'c'), later(50_000, 'b'), mcp.a.get({ id: 'c1' }).then(() => seen.push('a'))]);
      clearInterval(repeat);
      return seen;`;
    const started = performance.now();
    assert.equal((await recorded(code)).value, '["a","tick","b","tick","c"]');
    assert.ok(performance.now() - started < 900);
  });

  test('gets one answer a turn, in the order of the calls', async () => {
    const code = `
      const seen = [];
      const call = async (id) => { seen.push((await mcp.a.get({ id })).n); await null; await null; seen.push(-seen.at(-1)); };
      await Promise.all([call('c2'), call('c1')]);
      return seen;`;
    assert.equal((await recorded(code)).value, '[2,-2,1,-1]');
  });

  test('fails if it waits for ever, does not compile, or throws anything', async () => {
    for (const code of [
      'await new Promise(() => {})',
      'return (',
      'return 1 }), (async()=>{',
      'throw null',
      'throw { then: 1 }',
      'throw Object.create(null)',
      'return 1n',
      'const a = {}; a.a = a; return a',
      'setTimeout(() => { throw 1 }, 5); await new Promise(() => {})',
    ]) {
      const { end, calls: made } = await recorded(code);
      assert.deepEqual([end, made], ['failure', []], code);
    }
  });

  test('is compared by what it did, not by what it prints', async () => {
    const { value, ...rest } = await recorded('console.log("x".repeat(100_000)); return undefined');
    assert.deepEqual([value, rest], ['', { calls: [], end: 'value' }]);
  });
});

describe('a hostile program', () => {
  test('that makes too much of anything is stopped, and those after it are not', async () => {
    const hostile = [
      'for (;;) await mcp.a.get({ id: "c1" }).catch(() => 0)',
      'await Promise.all(Array.from({ length: 5_000 }, () => mcp.a.get({ id: "c1" })))',
      'for (;;) await new Promise((resolve) => setTimeout(resolve, 1))',
      'setInterval(() => {}, 1); await new Promise(() => {})',
      'for (let i = 0; i < 9_000; i++) setTimeout(() => {}, i); await new Promise(() => {})',
      'return "x".repeat(2_000_000)',
      'await mcp.a.get({ id: "x".repeat(2_000_000) }).catch(() => 0); return 1',
      'const f = () => f() + 1; return f()',
      'let a = []; for (let i = 0; i < 400; i++) a = [a]; for (let i = 0; i < 400; i++) a = [a]; return JSON.parse(JSON.stringify({ a }).slice(0, -1) + "}")',
    ];
    const transcripts = await replay([...hostile, 'return 1']);
    const ends = transcripts.map(([one]) => one?.end);
    assert.deepEqual(ends.slice(0, 8), Array(8).fill('limit'));
    assert.notEqual(ends[8], 'value');
    assert.equal(ends[9], 'value');
  });

  test('that computes for ever costs its process, and the next replay has another one', async () => {
    for (const code of [
      'for (;;);',
      'await null; for (;;);',
      'const f = () => Promise.resolve().then(f); await f()',
    ]) {
      assert.match(await failureOf(code, { turnCpuMs: 50 }), /computed for 50 ms|longer than/);
      assert.equal((await recorded('return 1')).value, '1');
    }
  });

  test('that takes all memory is stopped, or costs its process', async () => {
    const code = 'const a = []; for (;;) a.push(new Array(10_000).fill(a.length + 0.5))';
    const programs = [code, 'return 1'].map((one) => ({ code: one, args: {} }));
    const outcome = await sandbox.replay(
      { programs, worlds: [RECORDED], calls, reads: [] },
      { wallMs: 10_000, turnCpuMs: 9_000 },
    );
    if (!('failed' in outcome))
      assert.deepEqual(
        outcome.map(([one]) => one?.end),
        ['limit', 'limit'],
      );
    assert.equal((await recorded('return 1')).value, '1');
  });

  test('cannot reach another program, or change what is written about it', async () => {
    const patch = `
      for (const object of [Object.prototype, Array.prototype, Promise.prototype, JSON, String.prototype, Function.prototype, Reflect]) {
        for (const key of Object.getOwnPropertyNames(object)) try { object[key] = () => 'patched' } catch {}
      }
      globalThis.leak = 1; Symbol.for('leak').description;
      Object.prototype.toJSON = () => 'patched';
      Object.prototype.end = 'failure';`;
    const probe =
      'return [typeof leak, [1].map((n) => n + 1), JSON.stringify({}), (await mcp.a.get({ id: "c1" })).n]';
    const worlds = [RECORDED, { kind: 'values', seed: 1 }] satisfies World[];
    const transcripts = await replay([patch, probe, patch, probe], { worlds });
    for (const index of [1, 3]) {
      assert.equal(transcripts[index]?.[0]?.value, '["undefined",[2],"{}",1]');
      assert.equal(transcripts[index]?.[1]?.end, 'value');
    }
  });

  test('has nothing in reach but what a run has', async () => {
    const { value } = await recorded(
      'return [typeof process, typeof require, typeof fetch, typeof __start__, typeof WebAssembly]',
    );
    assert.equal(value, JSON.stringify(Array(5).fill('undefined')));
  });
});

describe('a replay', () => {
  test('has a transcript for each program and world, the same each time', async () => {
    const code =
      'const { ids } = await mcp.a.list({ q: args.q }); return Promise.all(ids.map((id) => mcp.a.get({ id })))';
    const worlds = worldsFor({ seed: 7, calls });
    assert.ok(worlds.length >= 15);
    const first = await replay([code, code], { worlds });
    assert.deepEqual(first[0], first[1]);
    assert.deepEqual(await replay([code, code], { worlds }), first);
    assert.equal(first[0]?.length, worlds.length);
    const values = new Set(first[0]?.flatMap(({ value }) => value ?? []));
    assert.ok(values.size >= 8, `${values.size} different values`);
  });

  test('ends when it is cancelled, takes too long, or cannot be written', async () => {
    const request = { programs: [{ code: 'for (;;);', args: {} }], worlds: [RECORDED], calls, reads: [] };
    const signal = AbortSignal.timeout(50);
    assert.deepEqual(await sandbox.replay(request, {}, { signal }), { failed: 'The replay was cancelled.' });
    assert.match(await failureOf('for (;;);', { wallMs: 60, turnCpuMs: 5_000 }), /longer than 60 ms/);
    let deep: unknown = 1;
    for (let i = 0; i < 600; i++) deep = [deep];
    const outcome = await sandbox.replay({ ...request, calls: [{ name: 'a:b', args: {}, result: deep }] });
    assert.ok('failed' in outcome && /nested/.test(outcome.failed));
    assert.equal((await recorded('return 1')).value, '1');
  });
});

describe('a program that reaches for the comparison', () => {
  /** What a hostile program replaces before it does the same as, or another thing than, a plain one. */
  const attacks = [
    'JSON.stringify = () => "1"; JSON.parse = () => 1;',
    'Object.prototype.toJSON = () => 1; Array.prototype.toJSON = () => 1;',
    'Promise.prototype.then = function (act) { act(1); return this; };',
    'Array.prototype.map = Array.prototype.push = Array.prototype.join = () => 1;',
    'for (const key of ["calls", "end", "value", "name", "args"]) Object.defineProperty(Object.prototype, key, { get: () => 1, set() {} });',
    'Object.prototype[Symbol.toPrimitive] = () => 1; String.prototype.toString = () => "1";',
    'Reflect.apply = Function.prototype.call = Function.prototype.apply = () => 1;',
    'Map.prototype.get = Map.prototype.set = Set.prototype.add = () => 1; Symbol.iterator = 1;',
  ];
  const body = (n: number) =>
    `const { ids } = await mcp.a.list({ q: args.q }); return { n: ${n}, first: ids[0] };`;
  const isRead = ({ name }: { name: string }) => name !== 'a:post';

  test('never looks like a program that does something else', async () => {
    const worlds = worldsFor({ seed: 2, calls });
    for (const attack of attacks) {
      const [hostile = [], plain = []] = await replay([`${attack} ${body(1)}`, body(2)], { worlds });
      assert.equal(compareAll(plain, hostile, isRead), false, attack);
    }
  });

  test('does not change what a plain program beside it did', async () => {
    const worlds = worldsFor({ seed: 2, calls });
    const [alone] = await replay([body(1)], { worlds });
    for (const attack of attacks) {
      const [, plain = [], again = []] = await replay([`${attack} ${body(2)}`, body(1), body(1)], { worlds });
      assert.deepEqual(plain, alone, attack);
      assert.equal(compareAll(plain, again, isRead), true);
    }
  });

  test('that answers by toJSON, or throws something strange, is read once', async () => {
    const codes = [
      'let n = 0; return { toJSON: () => ++n }',
      'return { toJSON() { throw new Error("no") } }',
      'throw { get message() { throw 1 }, toString() { throw 2 } }',
    ];
    const [counted, thrown, strange] = (await replay(codes)).map(([one]) => one);
    assert.equal(counted?.value, '1');
    assert.deepEqual([thrown?.end, strange?.end], ['failure', 'failure']);
  });
});

test('the clock, randomness and timers of a replay are the same for all its programs', async () => {
  const code = `
    const times = [Date.now(), new Date().toISOString(), Math.random(), crypto.randomUUID()];
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return [...times, Date.now(), Math.random()];`;
  const [one, other] = await replay([code, code]);
  assert.equal(one?.[0]?.end, 'value');
  assert.deepEqual(one, other);
});

test('a program meets the same worlds in two replays that name the same readers', async () => {
  const program = 'return await mcp.b.unseen()';
  const other = 'const { total, owner } = await mcp.b.unseen(); return [total, owner.login]';
  const worlds = worldsFor({ seed: 1, calls });
  const readers = [program, other];
  const [alone] = await replay([program], { worlds, readers });
  const [together] = await replay([program, other], { worlds, readers });
  assert.deepEqual(alone, together);
  const [unlike] = await replay([program], { worlds });
  assert.notDeepEqual(alone, unlike, 'what nobody has answered yet depends on what is read');
});
