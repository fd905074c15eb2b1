import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceBetween } from './compare-runs.ts';
import { ignoreRejections } from './ignore-rejections.ts';
import type { RunConditions } from './run-program.ts';

const all = (source: string, other: string, answer: RunConditions['answer'] = ok) =>
  ignoreRejections(() =>
    differenceBetween({ original: { source }, other: { source: other } }, { answer, schedule: 'newest' }),
  );
const ok: RunConditions['answer'] = ({ name }) => ({ value: { name } });
const failing =
  (...names: string[]): RunConditions['answer'] =>
  ({ name }) =>
    names.includes(name) ? { error: `failed ${name}` } : { value: { name } };

const TOGETHER = 'await Promise.all([mcp.a.x({}), mcp.b.x({})]); return 1;';
const IN_TURN = 'await mcp.a.x({}); await mcp.b.x({}); return 1;';

test('calls that were under way together may come in turn, in any order', async () => {
  assert.equal(await all(TOGETHER, IN_TURN), undefined);
  assert.equal(await all(TOGETHER, 'await mcp.b.x({}); await mcp.a.x({}); return 1;'), undefined);
});

test('calls in turn may not be under way together, nor change places', async () => {
  assert.match((await all(IN_TURN, TOGETHER)) ?? '', /does not wait for a:x/);
  assert.match(
    (await all(IN_TURN, 'await mcp.b.x({}); await mcp.a.x({}); return 1;')) ?? '',
    /does not wait/,
  );
});

test('if one of the calls under way fails, the others may be missing', async () => {
  for (const answer of [failing('a:x'), failing('b:x'), failing('a:x', 'b:x')])
    assert.equal(await all(TOGETHER, IN_TURN, answer), undefined);
});

test('calls after a failure are found', async () => {
  const caught = 'try { await mcp.a.x({}); } catch {} await mcp.b.x({}); return 1;';
  assert.match((await all(IN_TURN, caught, failing('a:x'))) ?? '', /makes a call/);
  assert.match((await all(caught, IN_TURN, failing('a:x'))) ?? '', /does not make the call b:x/);
});

test('other arguments, results and errors are found', async () => {
  assert.match((await all('await mcp.a.x({ id: 1 });', 'await mcp.a.x({ id: "1" });')) ?? '', /makes a call/);
  assert.match((await all('return mcp.a.x({});', 'await mcp.a.x({}); return;')) ?? '', /ends differently/);
  assert.match((await all('throw new Error("a");', 'throw new Error("b");')) ?? '', /ends differently/);
  assert.match((await all('return null;', 'return undefined;')) ?? '', /ends differently/);
});

test('the order of keys, undefined fields and the words of the engine do not count', async () => {
  assert.equal(await all('return { a: 1, b: 2 };', 'return { b: 2, a: 1, c: undefined };'), undefined);
  assert.equal(await all('const { a } = null;', 'null.a;'), undefined);
});

test('the result of a race depends on which call ends first', async () => {
  const race = 'return Promise.race([mcp.a.x({}), mcp.b.x({})]);';
  const first = 'const one = await mcp.a.x({}); await mcp.b.x({}); return one;';
  assert.match((await all(race, first)) ?? '', /ends differently/);
});

test('a program that waits for nothing is hung, and an endless one ends', async () => {
  assert.equal(await all('await new Promise(() => {});', 'await new Promise(() => {});'), undefined);
  assert.equal(await all('for (;;) await mcp.a.x({});', 'while (true) await mcp.a.x({});'), undefined);
  assert.match((await all('await new Promise(() => {});', 'return 1;')) ?? '', /ends differently/);
});
