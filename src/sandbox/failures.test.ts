import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { eventually } from '../testing/wait.ts';
import { DEFAULT_LIMITS, type Limits, openSandbox } from './index.ts';

const sandbox = openSandbox();
after(() => sandbox.close());

async function fail(code: string, limits: Partial<Limits> = {}) {
  const outcome = await sandbox.run(code, {}, async () => null, { ...DEFAULT_LIMITS, ...limits });
  assert.ok(!outcome.ok, JSON.stringify(outcome));
  return outcome;
}

describe('positions refer to the code as the caller wrote it', () => {
  const cases: [code: string, kind: string, line: number, column: number][] = [
    ['null.x', 'exception', 1, 6],
    ['const a = 1;\n\n  null.x', 'exception', 3, 8],
    ['const f = () => {\n  throw new Error("x");\n};\nf();', 'exception', 2, 9],
    ['await 0;\n  undefined.x', 'exception', 2, 13],
    ['setTimeout(() => {\n  null.x }, 1);\nawait new Promise(() => {})', 'exception', 2, 8],
    ['let a = ;', 'syntax', 1, 9],
    ['let a = 1;\nlet a = 2;', 'syntax', 2, 5],
    ['foo(', 'syntax', 1, 5],
    ['if (a) {\n  b()\n', 'syntax', 3, 1],
    ['return `', 'syntax', 1, 9],
    ['return 1 // comment at the end', 'none', 0, 0],
    ['// comment alone', 'none', 0, 0],
  ];
  for (const [code, kind, line, column] of cases) {
    test(JSON.stringify(code), async () => {
      const outcome = await sandbox.run(code, {}, async () => null, DEFAULT_LIMITS);
      if (kind === 'none') assert.ok(outcome.ok);
      else {
        assert.ok(!outcome.ok);
        assert.deepEqual([outcome.kind, outcome.line, outcome.column], [kind, line, column], outcome.message);
      }
    });
  }

  test('the stack has the frames of the code and no other', async () => {
    const { stack } = await fail(
      'const inner = () => { throw new Error("x") };\nconst outer = () => inner();\nouter();',
    );
    assert.match(
      stack ?? '',
      /at inner \(code\.ts:1:29\)\n\s+at outer \(code\.ts:2:21\)\n\s+at code\.ts:3:1$/,
    );
    assert.doesNotMatch(stack ?? '', /pml:guest|isolated-vm/);
  });
});

describe('messages say what to do', () => {
  const cases: [code: string, kind: string, message: RegExp][] = [
    ['throw new TypeError("odd")', 'exception', /^TypeError: odd$/],
    ['throw { a: 1 }', 'exception', /^Thrown: \{ a: 1 \}$/],
    ['throw undefined', 'exception', /^Thrown: undefined$/],
    ['await import("fs")', 'denied', /no modules: call tools through mcp/],
    ['import fs from "fs"', 'syntax', /no modules: call tools through mcp/],
    ['require("fs")', 'denied', /no modules/],
    ['await fetch("http://a")', 'denied', /no network/],
    ['process.exit()', 'denied', /no process/],
    ['Buffer.from("")', 'denied', /no Buffer/],
    ['new WebAssembly.Module()', 'denied', /no WebAssembly/],
    ['mispelt()', 'exception', /^ReferenceError: mispelt is not defined$/],
    ['await new Promise(() => {})', 'exception', /can never finish/],
    ['});(async()=>{', 'syntax', /closes a bracket/],
  ];
  for (const [code, kind, message] of cases) {
    test(code, async () => {
      const outcome = await fail(code);
      assert.equal(outcome.kind, kind);
      assert.match(outcome.message, message);
    });
  }
});

describe('limits', () => {
  test('time, computing, results and calls', async () => {
    // The wait for a sandbox counts, too, and ends in another message.
    await eventually(
      () => sandbox.stats().processes.some(({ state }) => state === 'ready'),
      'a ready sandbox',
    );
    const wall = await fail('setTimeout(() => {}, 1e6); await new Promise(() => {})', { wallMs: 200 });
    assert.deepEqual([wall.kind, wall.message], ['timeout', 'The run took longer than 200 ms.']);
    const turn = await fail('for (;;);', { turnCpuMs: 100 });
    assert.deepEqual([turn.kind, turn.message], ['timeout', 'The code computed for 100 ms without a pause.']);
    const result = await fail('return "x".repeat(2000)', { resultBytes: 1000 });
    assert.deepEqual([result.kind, result.message], ['limit', 'result is larger than 1000 bytes']);
    const calls = await fail('for (;;) await mcp.a.b()', { calls: 3 });
    assert.deepEqual(
      [calls.kind, calls.message, calls.calls],
      ['limit', 'The run made more than 3 calls.', 3],
    );
  });

  test('computing in pieces, with waits in between, is allowed', async () => {
    const code = `for (let i = 0; i < 8; i++) {
      const end = Date.now() + 40;
      while (Date.now() < end);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return 'done'`;
    const outcome = await sandbox.run(code, {}, async () => null, { ...DEFAULT_LIMITS, turnCpuMs: 250 });
    assert.ok(outcome.ok, JSON.stringify(outcome));
  });

  test('code that exhausts its stack can log, call and go on', async () => {
    const code = `const calls = [];
    const call = () => calls.push(mcp.a.b().catch(({ name }) => name));
    const dig = () => { try { dig() } catch { console.log('deep'); call() } };
    dig();
    return [...new Set(await Promise.all(calls)), await mcp.a.b()]`;
    const outcome = await sandbox.run(code, {}, async () => 'answer', DEFAULT_LIMITS);
    assert.ok(outcome.ok, JSON.stringify(outcome).slice(0, 500));
    assert.equal((outcome.value as string[]).at(-1), 'answer');
    assert.equal(outcome.logs[0]?.text, 'deep');
  });

  test('output from before the failure is kept', async () => {
    const { logs } = await fail('console.log("before"); for (;;);', { turnCpuMs: 100 });
    assert.deepEqual(logs, [{ level: 'log', text: 'before' }]);
  });
});

describe('cancelling', () => {
  test('ends the run and its calls', async () => {
    const cancel = new AbortController();
    const called = Promise.withResolvers<AbortSignal>();
    const callOut = (_path: string[], _args: unknown, signal: AbortSignal) => {
      called.resolve(signal);
      return new Promise(() => {});
    };
    const run = sandbox.run('await mcp.a.b()', {}, callOut, DEFAULT_LIMITS, { signal: cancel.signal });
    const signal = await called.promise;
    cancel.abort();
    const outcome = await run;
    assert.equal(!outcome.ok && outcome.kind, 'cancelled');
    assert.ok(signal.aborted);
  });

  test('before the start, nothing runs', async () => {
    const outcome = await sandbox.run('await mcp.a.b()', {}, () => assert.fail(), DEFAULT_LIMITS, {
      signal: AbortSignal.abort(),
    });
    assert.deepEqual([!outcome.ok && outcome.kind, outcome.calls], ['cancelled', 0]);
  });
});
