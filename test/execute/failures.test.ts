import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { attempt } from '../../src/testing/wait.ts';
import type { Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, failing, TestBed } from '../support/test-bed.ts';

const bed = new TestBed({ mcpServers: { work: fixtureServer('fixture-work.ts') } });
let peer: Peer;

before(async () => {
  peer = await bed.peer();
});

/** Leaves a trace if it ever runs. */
const TRACE = 'await mcp.work.keep({ item: "must not run" });';

async function nothingRan(): Promise<void> {
  assert.deepEqual((await execute(peer, { code: 'return await mcp.work.kept()' })).result, []);
}

test('a syntax error has its position, and nothing runs', async () => {
  const { code, message } = await failing(peer, { code: `${TRACE}\nconst list: string[] = ;` });
  assert.equal(code, 'syntax_error');
  assert.equal(
    message,
    [
      'Unexpected token (line 2, column 24)',
      `1 | ${TRACE}`,
      '2 | const list: string[] = ;',
      '  |                        ^',
    ].join('\n'),
  );
  for (const wrong of ['import fs from "fs"', 'enum A { B }', '}', 'return `', `${'('.repeat(600)}`, '/*']) {
    assert.equal((await failing(peer, { code: `${TRACE} ${wrong}` })).code, 'syntax_error', wrong);
  }
  await nothingRan();
});

test('a call in JSON instead of code is refused with the code to write', async () => {
  const json = '{"tool": "mcp__work__keep", "arguments": {"item": "must not run"}}';
  const { code, hint } = await failing(peer, { code: json });
  assert.deepEqual(
    [code, hint],
    ['syntax_error', 'Write `return await mcp.work.keep({"item":"must not run"})`.'],
  );
  await nothingRan();
});

test('an unknown tool is refused before anything runs, with the name that was meant', async () => {
  const { code, message } = await failing(peer, {
    code: `${TRACE}\n  return await mcp.work.raed({ path: "a" })`,
  });
  assert.equal(code, 'tool_not_found');
  assert.match(message, /^Not found: work:raed \(line 2, column 16\)\. Did you mean work:read/);
  const other = await failing(peer, { code: `${TRACE} const { work } = mcp; await work.kep()` });
  assert.match(other.message, /Did you mean work:keep/);
  const server = await failing(peer, { code: `${TRACE} return await mcp["wrok"].read({})` });
  assert.match(server.message, /Did you mean work:read/);
  await nothingRan();
});

test('an exception has its position in the TypeScript that was sent', async () => {
  const lines = [
    'interface Row<T extends object> { id: T }',
    'type Rows = Array<Row<{ a: 1 }>>;',
    'const rows: Rows = [] as Rows; const f = (n: number): number => { throw new RangeError("here " + n) };',
    'return f(1)',
  ];
  const { code, message } = await failing(peer, { code: lines.join('\n') });
  assert.equal(code, 'code_exception');
  const column = lines[2]?.indexOf('new RangeError') as number;
  assert.equal(message, `RangeError: here 1 (line 3, column ${column + 1})`);
});

test('an exception on the first line has the right position too', async () => {
  const code = 'const a: { b?: { c: number } } = {}; return a.b!.c';
  const { message } = await failing(peer, { code });
  const column = code.indexOf('c', code.indexOf('a.b!')) + 1;
  assert.equal(
    message,
    `TypeError: Cannot read properties of undefined (reading 'c') (line 1, column ${column})`,
  );
});

test('a name that nothing has is placed where it is used, not where its statement begins', async () => {
  for (const [code, place] of [
    ['const q = 1;\nreturn foo.bar;', '(line 2, column 8)'],
    ['const q = 1;\nreturn process.cwd()', '(line 2, column 8)'],
    ['const list: number[] = [1];\nconst x = list.map((one: number) => one + foo);', '(line 2, column 43)'],
    ['const f = () => foo;\nreturn f() + foo', '(line 1, column 17)'],
    ['foo.bar', '(line 1, column 1)'],
  ] as const) {
    const { message } = await failing(peer, { code });
    assert.ok(message.endsWith(place), message);
  }
});

test('the error of a tool is thrown at the call, and can be caught', async () => {
  const code = 'const a: number = 1;\nreturn await mcp.work.refuse({ why: "on purpose" })';
  const { message } = await failing(peer, { code });
  assert.match(message, /on purpose \(line 2, column \d+\)/);
  const caught = `try { ${code} } catch (error) { return { caught: error.message } }`;
  assert.deepEqual((await execute(peer, { code: caught })).result, { caught: 'on purpose' });
});

test('the error for an absent global says what to use instead', async () => {
  for (const [code, instead, hint] of [
    ['return await fetch("https://example.com")', /no network: call a tool through mcp/, /^No tool here/],
    ['return require("fs")', /no modules: call tools through mcp/, /^No tool here reads files/],
    ['return process.env', /no process/, /^$/],
    ['return document.title', /no browser/, /^$/],
  ] as const) {
    const failure = await failing(peer, { code });
    assert.equal(failure.code, 'code_denied');
    assert.match(failure.message, instead);
    assert.match(failure.hint ?? '', hint);
  }
});

test('a run that takes too long is ended, whether it computes or waits', async () => {
  for (const code of ['while (true);', 'await new Promise((done) => setTimeout(done, 60_000))']) {
    const timeout = 1000;
    // On a busy machine a short run may end before it has a sandbox.
    const failure = await attempt(
      async () => {
        // The last run may have taken its sandbox with it. Once this one has ended, another is ready.
        await execute(peer, { code: 'return 1' });
        return failing(peer, { code, options: { timeout } });
      },
      ({ message }) => !/No sandbox was free/.test(message),
      20,
    );
    assert.equal(failure.code, 'code_timeout');
    assert.match(failure.message, new RegExp(`took longer than ${timeout} ms`));
    assert.match(failure.hint ?? '', /^No call was under way: perhaps a loop never ends\. Allow more with /);
  }
});

test('a run that awaits a promise that nothing can settle is ended', async () => {
  const { message } = await failing(peer, { code: 'await new Promise(() => {})' });
  assert.match(message, /can never finish/);
});

test('a run that uses too much memory is ended', async () => {
  const code = 'const all = []; while (true) all.push(new Array(100_000).fill(all.length));';
  const failure = await failing(peer, { code });
  assert.equal(failure.code, 'code_memory');
  assert.match(failure.message, /more than 128 MB/);
});

test('max_result_bytes limits the result alone, not values inside the run', async () => {
  const code = 'return "x".repeat(args.length as number)';
  const options = { max_result_bytes: 1000 };
  const cut = await execute(peer, { code, args: { length: 1000 }, options });
  assert.equal(cut.truncated.bytes, 1002);
  assert.ok(Buffer.byteLength(JSON.stringify(cut.result)) <= 1000);
  assert.equal((await execute(peer, { code, args: { length: 998 }, options })).result.length, 998);
  // Values between runs and tools never reach the model.
  await execute(peer, { code, args: { length: 1 }, name: 'big:text' });
  const inside = `const text = await mcp.big.text({ length: 50_000 });
    return (await mcp.work.read({ path: text })).path.length`;
  assert.equal((await execute(peer, { code: inside, options })).result, 50_000);
});

test('a result is shown up to 50 KB unless the caller raises the limit', async () => {
  const code = 'return "x".repeat(args.length as number)';
  assert.equal((await execute(peer, { code, args: { length: 49_998 } })).truncated, undefined);
  assert.equal((await execute(peer, { code, args: { length: 49_999 } })).truncated.bytes, 50_001);
  const more = { code, args: { length: 1_100_000 }, options: { max_result_bytes: 2_000_000 } };
  assert.equal((await execute(peer, more)).result.length, 1_100_000);
});

test('the error for a value that cannot be sent names its place', async () => {
  const { message } = await failing(peer, { code: 'return { rows: [{ total: 10n }] }' });
  assert.match(message, /rows.*total.*BigInt/);
});

test('the console is captured, of code and of a capability called by name', async () => {
  const code = 'console.log("one", { two: [3] }); console.error("four"); return args.x ?? 5';
  const logs = [
    { level: 'log', text: 'one { two: [3] }' },
    { level: 'error', text: 'four' },
  ];
  assert.deepEqual((await execute(peer, { code, name: 'log:some' })).logs, logs);
  assert.deepEqual((await execute(peer, { capability: 'log:some' })).logs, logs);
  // An answer has the log of the called code alone, not of nested capabilities.
  const outer = await execute(peer, { code: 'console.log("own"); return await mcp.log.some()' });
  assert.deepEqual(outer.logs, [{ level: 'log', text: 'own' }]);
  assert.equal((await execute(peer, { code: 'return 1' })).logs, undefined);
});

test('code and capability together are refused', async () => {
  for (const input of [
    { code: TRACE, capability: 'log:some' },
    { code: TRACE, capability_id: 'x' },
    { code: TRACE, capabilityId: 'x' },
  ]) {
    assert.equal((await failing(peer, input)).message, 'Provide either code or capability, not both');
  }
  await nothingRan();
});

test('keys may be written in camelCase, and unknown ones are refused', async () => {
  const { capabilityId } = await execute(peer, { capability: 'log:some' });
  assert.equal((await execute(peer, { capabilityId })).capabilityName, 'log:some');
  const small = { code: 'return "0123456789"', options: { maxResultBytes: 5 } };
  assert.equal((await execute(peer, small)).truncated.bytes, 12);
  for (const [input, why] of [
    [{ code: TRACE, bogus: 1 }, /"bogus"/],
    [{ code: TRACE, options: { time_out: 1 } }, /"options": .*"time_out"/],
    [{ code: TRACE, options: { timeout: 'long' } }, /"options\.timeout"/],
    [{ code: TRACE, args: [1] }, /"args"/],
    [{ code: 7 }, /"code"/],
    [{ code: TRACE, intent: '' }, /"intent"/],
  ] as const) {
    const { code, message } = await failing(peer, input);
    assert.equal(code, 'invalid_arguments');
    assert.match(message, why);
  }
  const bare = await peer.call('pml_execute', {});
  assert.match(bare.structuredContent.error.message, /"intent"/);
  await nothingRan();
});

test('an intent alone gets suggestions', async () => {
  await execute(peer, { name: 'invoice:total', code: 'return "42"', intent: 'total of an invoice' });
  const answer = await answerOf(peer, { intent: 'invoice total' });
  assert.equal(answer.status, 'suggestions');
  assert.equal(answer.mode, 'suggestion');
  const [{ kind, name, signature }] = answer.suggestions;
  assert.deepEqual([kind, name], ['capability', 'invoice:total']);
  assert.equal(typeof signature, 'string');
});

test('failed runs and runs with remember: false are journalled, but leave no record', async () => {
  const forgotten = await execute(peer, { code: 'return "forget me"', options: { remember: false } });
  for (const key of ['capabilityId', 'capabilityName', 'capabilityFqdn'])
    assert.equal(forgotten[key], undefined);
  await failing(peer, { code: 'throw new Error("forget me, too")', name: 'never:kept' });
  await failing(peer, { capability: 'never:kept' });
  const codes = await bed.rows("select code_snippet from workflow_pattern where code_snippet ~ 'forget me'");
  assert.deepEqual(codes, []);
  const names = await bed.rows("select 1 from capability_names where name = 'never:kept'");
  assert.deepEqual(names, []);
  const usage = await bed.rows(
    "select success, error from tool_usage where server_id = 'pml' order by called_at desc limit 2",
  );
  assert.deepEqual(usage, [
    { success: false, error: 'forget me, too (line 1, column 7)' },
    { success: true, error: null },
  ]);
});
