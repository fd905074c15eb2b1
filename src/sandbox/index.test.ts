import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { PmlError } from '../errors.ts';
import { DEFAULT_LIMITS, type Limits, type Outcome, openSandbox } from './index.ts';
import type { CallOut } from './outcome.ts';

const sandbox = openSandbox();
after(() => sandbox.close());

const echo: CallOut = async (path, args) => ({ path, args });

function run(code: string, options: { args?: unknown; callOut?: CallOut; limits?: Partial<Limits> } = {}) {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  return sandbox.run(code, options.args, options.callOut ?? echo, limits);
}

/** Returns the value of a run that must succeed. */
async function resultOf(code: string, options?: Parameters<typeof run>[1]): Promise<unknown> {
  const outcome = await run(code, options);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}

async function failureOf(
  code: string,
  options?: Parameters<typeof run>[1],
): Promise<Outcome & { ok: false }> {
  const outcome = await run(code, options);
  assert.ok(!outcome.ok, JSON.stringify(outcome));
  return outcome;
}

describe('values', () => {
  test('arguments go in and the result comes out', async () => {
    assert.deepEqual(await resultOf('return args.a + args.b', { args: { a: 1, b: 2 } }), 3);
    assert.equal(await resultOf('return args'), undefined);
    assert.equal(await resultOf(''), undefined);
  });

  test('any JSON value survives arguments, a call and the result', async () => {
    const property = fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
      // JSON has no negative zero.
      const plain = JSON.parse(JSON.stringify(value));
      const back = await resultOf('return [args, (await mcp.a.b({ args })).args.args]', { args: plain });
      assert.deepEqual(back, [plain, plain]);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('values that JSON lacks are converted by documented rules', async () => {
    const code = `return {
      date: new Date(0), map: new Map([['a', 1]]), pairs: new Map([[1, 2]]), set: new Set([1, 2]),
      error: new RangeError('no'), pattern: /a/g, bytes: new Uint8Array([1, 2]), nothing: undefined,
      list: [undefined, NaN], url: new URL('http://a.example/'), own: { __proto__: null, a: 1 },
    }`;
    assert.deepEqual(await resultOf(code), {
      date: '1970-01-01T00:00:00.000Z',
      map: { a: 1 },
      pairs: [[1, 2]],
      set: [1, 2],
      error: { name: 'RangeError', message: 'no' },
      pattern: '/a/g',
      bytes: [1, 2],
      list: [null, null],
      url: 'http://a.example/',
      own: { a: 1 },
    });
  });

  test('a value that cannot be converted is an exception that names where it is', async () => {
    const cases: [string, RegExp][] = [
      ['return { a: [1, () => 1] }', /result\.a\[1\] is a function/],
      ['return { "b c": 1n }', /result\["b c"\] is a BigInt/],
      ['return [Symbol()]', /result\[0\] is a symbol/],
      ['return { a: Promise.resolve() }', /result\.a is a Promise: await it/],
      ['return { a: new ArrayBuffer(1) }', /result\.a is binary/],
      ['const a = { b: {} }; a.b.c = a; return a', /result\.b\.c is a cycle/],
      ['return mcp.fs', /result is a function/],
      ['await mcp.fs.read({ x: () => 1 })', /argument of mcp\.fs\.read\.x is a function/],
    ];
    for (const [code, message] of cases) {
      const failure = await failureOf(code);
      assert.equal(failure.kind, 'exception');
      assert.match(failure.message, message);
    }
  });

  test('ten megabytes pass through', async () => {
    const code = `return Array.from({ length: 100_000 }, (_, id) => ({ id, text: 'x'.repeat(90) }))`;
    const value = (await resultOf(code)) as { id: number }[];
    assert.equal(value.length, 100_000);
    assert.equal(value.at(-1)?.id, 99_999);
    assert.ok(JSON.stringify(value).length > 10_000_000);
  });
});

describe('calls', () => {
  test('a call is written with dots, as one name, destructured or computed', async () => {
    const code = `
      const { fs } = mcp;
      const { read_json: read } = fs;
      const name = 'read_json';
      return Promise.all([mcp.fs.read_json(1), mcp['fs:read_json'](1), read(1), mcp['fs'][name](1), fs.read_json.call(null, 1)])`;
    const paths = ((await resultOf(code)) as { path: string[] }[]).map(({ path }) => path.join(':'));
    assert.deepEqual(paths, Array(5).fill('fs:read_json'));
  });

  test('awaiting or printing the proxies calls nothing', async () => {
    const outcome = await run(
      'await mcp; await mcp.fs; JSON.stringify([mcp, mcp.fs]); return [String(mcp.fs), "fs" in mcp]',
    );
    assert.deepEqual([outcome.ok && outcome.value, outcome.calls], [['[mcp.fs]', true], 0]);
  });

  test('a rejection is an exception at the call, with its code', async () => {
    const callOut: CallOut = async () => {
      throw new PmlError('tool_not_found', 'No tool fs:nope.', { hint: 'Did you mean fs:read?' });
    };
    const code = `try { await mcp.fs.nope() } catch (error) { return [error.name, error.message, error.code, error.tool, error instanceof Error] }`;
    const message = 'No tool fs:nope. Did you mean fs:read?';
    assert.deepEqual(await resultOf(code, { callOut }), [
      'ToolError',
      message,
      'tool_not_found',
      'fs.nope',
      true,
    ]);
    const failure = await failureOf('\n\n  const x = await mcp.fs.nope()', { callOut });
    assert.deepEqual(
      [failure.kind, failure.code, failure.line, failure.column],
      ['exception', 'tool_not_found', 3, 26],
    );
    assert.equal(failure.message, `ToolError: ${message}`);
  });

  test('a call that is not allowed ends the run as denied', async () => {
    const callOut: CallOut = async () => {
      throw new PmlError('not_allowed', 'Not yours.');
    };
    assert.equal((await failureOf('await mcp.fs.read()', { callOut })).kind, 'denied');
    assert.equal(await resultOf('return mcp.fs.read().catch(() => "went on")', { callOut }), 'went on');
  });

  test('independent calls run at the same time, up to the limit', async () => {
    let open = 0;
    let most = 0;
    const all = Promise.withResolvers<void>();
    const callOut: CallOut = async () => {
      open += 1;
      most = Math.max(most, open);
      if (open === 50) all.resolve();
      await all.promise;
    };
    await resultOf('await Promise.all(Array.from({ length: 50 }, () => mcp.a.b()))', { callOut });
    assert.equal(most, 50);
  });

  test('calls beyond those allowed in flight wait their turn', async () => {
    let open = 0;
    const callOut: CallOut = async () => {
      open += 1;
      assert.ok(open <= 3);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
    };
    const code = 'return (await Promise.all(Array.from({ length: 20 }, () => mcp.a.b()))).length';
    assert.equal(await resultOf(code, { callOut, limits: { inFlight: 3 } }), 20);
  });

  test('a call that nobody awaited is cancelled with the run, and counted', async () => {
    const aborted = Promise.withResolvers<void>();
    const callOut: CallOut = (_path, _args, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => {});
    };
    const outcome = await run('mcp.a.b(); return 1', { callOut });
    assert.deepEqual(
      [outcome.ok && outcome.value, outcome.ok && outcome.abandoned, outcome.calls],
      [1, 1, 1],
    );
    await aborted.promise;
  });

  test('more than one argument is an error that says what to do', async () => {
    const failure = await failureOf('await mcp.fs.write("a.txt", "text")');
    assert.match(failure.message, /mcp\.fs\.write takes one object with named arguments; 2 were given/);
  });
});
