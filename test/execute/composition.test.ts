import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, TestBed } from '../support/test-bed.ts';

const bed = new TestBed({ mcpServers: { work: fixtureServer('fixture-work.ts') } });
let peer: Peer;

before(async () => {
  peer = await bed.peer();
});

/** Creates a capability of this name by running its code. */
const learn = (name: string, code: string, args?: object) => execute(peer, { name, code, args });

test('ADR-052: code calls a capability as it calls a tool', async () => {
  await learn('math:sum', 'return [1,2,3,4,5].reduce((a,n) => a+n, 0);');
  const { result, toolsUsed } = await execute(peer, {
    intent: 'calculate sum',
    code: 'return await mcp.math.sum()',
  });
  assert.equal(result, 15);
  assert.deepEqual(toolsUsed, ['math:sum']);
});

test('ADR-052: a capability that does not exist fails before anything runs, with the name that was meant', async () => {
  const code = 'await mcp.work.keep({ item: "no" });\nreturn await mcp.math.summ()';
  const { message } = await failing(peer, { code });
  assert.equal(message, 'Not found: math:summ (line 2, column 14). Did you mean math:sum?');
  assert.deepEqual((await execute(peer, { code: 'return await mcp.work.kept()' })).result, []);
});

test('ADR-052: concurrent and consecutive calls of capabilities do not interfere', async () => {
  await learn('math:double', 'await mcp.work.wait({ ms: 10 }); return (args.n as number) * 2', { n: 1 });
  const code = `const all = await Promise.all(Array.from({ length: 12 }, (_, n) => mcp.math.double({ n })));
    return [...all, await mcp.math.double({ n: 20 }), await mcp.math.sum()]`;
  const { result } = await execute(peer, { code });
  assert.deepEqual(result, [...Array.from({ length: 12 }, (_, n) => n * 2), 40, 15]);
});

test('a capability calls a capability that calls a tool, with the arguments and defaults of each', async () => {
  await learn('file:read', 'return await mcp.work.read({ path: "a.json", encoding: "utf-8" })');
  await learn(
    'file:read_both',
    `const { left, right } = args as { left: string; right: string };
     return Promise.all([mcp.file.read({ path: left }), mcp.file.read({ path: right, encoding: "latin1" })])`,
    { left: 'l', right: 'r' },
  );
  const code = 'return await mcp.file.readBoth({ left: "x.json", right: "y.json" })';
  const answer = await execute(peer, { code });
  assert.deepEqual(answer.result, [
    { path: 'x.json', encoding: 'utf-8' },
    { path: 'y.json', encoding: 'latin1' },
  ]);
  assert.deepEqual(answer.toolsUsed, ['file:read_both', 'file:read', 'work:read']);
  assert.equal((await peer.call('file:read_both', { left: '1', right: '2' })).content[0].type, 'text');
});

test('each capability has a sandbox of its own', async () => {
  await learn('own:global', 'const had = "mark" in globalThis; (globalThis as any).mark = 1; return had');
  const code = `globalThis.mark = 2;
    return [await mcp.own.global(), await mcp.own.global(), globalThis.mark]`;
  assert.deepEqual((await execute(peer, { code })).result, [false, false, 2]);
});

test('a failure of a nested capability names it and its position, and can be caught', async () => {
  await learn('bad:inner', 'if (args.fail as boolean)\n  throw new RangeError("too far"); return 1', {
    fail: false,
  });
  await learn('bad:outer', 'return await mcp.bad.inner({ fail: args.fail as boolean })', { fail: false });
  const { message } = await failing(peer, { capability: 'bad:outer', args: { fail: true } });
  assert.match(
    message,
    /^Capability "bad:outer" failed: .*Capability "bad:inner" failed: RangeError: too far \(line 2, column 9\)/,
  );
  const code = 'try { await mcp.bad.outer({ fail: true }) } catch (error) { return [error.message] }';
  assert.match((await execute(peer, { code })).result[0], /too far/);
  const wrong = 'try { await mcp.bad.inner({ fail: "yes" }) } catch (error) { return error.message }';
  assert.match((await execute(peer, { code: wrong })).result, /"fail" must be boolean/);
});

test('capabilities that call each other in a circle fail with the chain of names', async () => {
  const code = (word: string) =>
    `if (!args.to) return "${word}"; return mcp.loop[args.to as string]({ to: args.back, back: args.to })`;
  await learn('loop:ping', code('ping'));
  await learn('loop:pong', code('pong'));
  const through = { capability: 'loop:ping', args: { to: 'pong', back: 'ping' } };
  const { code: kind, message } = await failing(peer, through);
  assert.equal(kind, 'capability_cycle');
  assert.match(message, /in a circle: loop:ping → loop:pong → loop:ping/);
  const itself = { capability: 'loop:ping', args: { to: 'ping' } };
  assert.match((await failing(peer, itself)).message, /in a circle: loop:ping → loop:ping/);
  // Two calls of one capability in sequence are no circle.
  const twice = 'return [await mcp.loop.ping({}), await mcp.loop.ping({ to: "pong" })]';
  assert.deepEqual((await execute(peer, { code: twice })).result, ['ping', 'pong']);
});

test('capabilities call each other 8 deep and no deeper', async () => {
  await learn('nest:n1', 'return await mcp.work.meet({ count: 1 }) && "bottom"');
  for (let n = 2; n <= 9; n++) await learn(`nest:n${n}`, `return await mcp.nest.n${n - 1}()`);
  assert.equal((await execute(peer, { capability: 'nest:n8' })).result, 'bottom');
  const { message } = await failing(peer, { capability: 'nest:n9' });
  const chain = Array.from({ length: 9 }, (_, at) => `nest:n${9 - at}`).join(' → ');
  assert.ok(message.includes(`Capabilities may call each other 8 deep: ${chain}`), message);
});

test('a nested run shares the deadline of its caller', async () => {
  await learn('nap:short', 'await new Promise((done) => setTimeout(done, args.ms ?? 1)); return "awake"');
  await learn('nap:nested', 'return await mcp.nap.short({ ms: args.ms ?? 1 })');
  const started = performance.now();
  const code = 'while (true) await mcp.nap.nested({ ms: 100 })';
  assert.equal((await failing(peer, { code, options: { timeout: 500 } })).code, 'code_timeout');
  const deep = { capability: 'nap:nested', args: { ms: 60_000 }, options: { timeout: 500 } };
  assert.equal((await failing(peer, deep)).code, 'code_timeout');
  const took = performance.now() - started;
  // Without the option a run may take 30 s.
  assert.ok(took >= 1000 && took < 30_000, `${took} ms`);
});

test('a computed name is resolved when it is called', async () => {
  const code = 'return await mcp[args.server as string][args.tool as string](args.given)';
  const input = { code, args: { server: 'math', tool: 'sum', given: {} } };
  assert.equal((await execute(peer, input)).result, 15);
  const wrong = { code, args: { server: 'math', tool: 'som', given: {} } };
  assert.match(
    (await failing(peer, wrong)).message,
    /There is no tool or capability "math:som"\. Did you mean "math:sum"\?/,
  );
});

test('stored code names the capabilities that it calls by FQDN', async () => {
  const [outer] = await bed.rows(
    `select p.code_snippet, r.tools_used from capability_records r join workflow_pattern p on p.id = r.pattern_id
     where r.display_name = 'file:read_both'`,
  );
  assert.match(outer.code_snippet, /mcp\["local\.default\.file\.read\.[0-9a-f]{4}"\]\(\{ path: left \}\)/);
  assert.doesNotMatch(outer.code_snippet, /mcp\.file\.read/);
  const nested = await bed.rows(
    "select count(*) as calls from tool_usage where server_id = 'pml-capabilities' and tool = 'file:read'",
  );
  // One run created it; then each of three runs of the outer capability called it twice.
  assert.equal(nested[0].calls, 7);
});
