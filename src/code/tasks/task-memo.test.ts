import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../json.ts';
import { Redactor } from '../../secrets/index.ts';
import { accept } from './accept.ts';
import { type LearnOptions, learn } from './learn.ts';
import { prepareRun } from './prepare-run.ts';
import { runCodeTask } from './run-code-task.ts';
import { TaskMemo } from './task-memo.ts';

const LOGIN: JsonSchema = { type: 'object', properties: { user: { type: 'string' } } };
const BUY: JsonSchema = { type: 'object', properties: { account: { type: 'string' } } };
const CALLS = `await mcp.shop.login({ user: "ana" });\nreturn await mcp.shop.buy({ account: "acc-83920174" })`;

function optionsOf(more: Partial<LearnOptions> = {}): LearnOptions {
  const names = ['shop:login', 'shop:buy'].map((name) => [name, name] as const);
  return {
    schemas: new Map([
      ['shop:login', LOGIN],
      ['shop:buy', BUY],
    ]),
    renamed: new Map(),
    canonical: new Map(names),
    given: {},
    secrets: new Redactor().known,
    verdicts: new Map(),
    ...more,
  };
}

test('a task on the same code is done once, with the same result as without the memo', async () => {
  const source = 'const x: number = 1;\nmcp.fs.read({ path: "a" })';
  const sent = { source, functions: {} };
  const { code } = await runCodeTask('accept', source, {});
  assert.deepEqual(await runCodeTask('accept', source, {}), accept(source, {}));
  assert.equal(await runCodeTask('accept', source, {}), await runCodeTask('accept', source, {}));
  assert.deepEqual(await runCodeTask('prepareRun', code, sent), prepareRun(code, sent));
  assert.equal(await runCodeTask('prepareRun', code, sent), await runCodeTask('prepareRun', code, sent));
  assert.notDeepEqual(
    await runCodeTask('accept', 'read()', {}),
    await runCodeTask('accept', 'read()', { read: 'fs:read' }),
  );
});

test('a remembered result cannot be changed', async () => {
  const { called } = await runCodeTask('accept', 'unknown()', {});
  assert.throws(() => (called as string[]).push('other'), TypeError);
});

test('code is learned once, with the same result as without the memo', async () => {
  const first = await runCodeTask('learn', CALLS, optionsOf());
  assert.equal(await runCodeTask('learn', CALLS, optionsOf()), first);
  assert.deepEqual(first, learn(CALLS, optionsOf()));
});

/** How many of some options are learned anew by one memo. */
async function learnedAnew(all: readonly LearnOptions[]): Promise<number> {
  const memo = new TaskMemo();
  let anew = 0;
  const act = async () => ({ at: ++anew });
  for (const options of all) await memo.answer('learn', CALLS, [options], act);
  return anew;
}

test('what is learned depends on everything that it was learned from', async () => {
  const base = optionsOf();
  const others: Partial<LearnOptions>[] = [
    { schemas: new Map([['shop:login', LOGIN]]) },
    { readOnly: new Map([['shop:login', true]]) },
    { renamed: new Map([['shop:buy', 'acme.web.shop.buy.1234']]) },
    { canonical: new Map([['shop:buy', 'shop:buy']]) },
    { given: { account: 'acc-1' } },
    { given: undefined },
    { verdicts: new Map([['shop:buy account', 'data']]) },
    { secrets: new Redactor(['a secret of the configuration']).known },
    { isPlain: true },
    { links: [{ call: 1, path: ['account'], source: { call: 0, path: ['account'] } }] },
  ];
  const all = [base, ...others.map((more) => ({ ...base, ...more }))];
  assert.equal(await learnedAnew([...all, ...all]), all.length);
});

test('nothing is remembered of a run that had secrets', async () => {
  const redactor = new Redactor().fork();
  redactor.learnPassed({ password: 'hunter2-hunter2' }, 'shop:login', { isNested: false, isHandedOn: false });
  const options = optionsOf({ secrets: redactor.known });
  assert.equal(await learnedAnew([options, options]), 2);
});

test('the memo is bounded, and drops the oldest results', async () => {
  const memo = new TaskMemo();
  let anew = 0;
  const answer = (source: string) => memo.answer('functionBody', source, [], async () => ({ at: ++anew }));
  const source = (at: number) => `${at}`.padEnd(30_000, 'x');
  for (let at = 0; at < 400; at++) await answer(source(at));
  assert.ok(memo.size < 300, `${memo.size}`);
  await answer(source(399));
  assert.equal(anew, 400, 'the newest is there');
  await answer(source(0));
  assert.equal(anew, 401, 'the oldest is gone');
  await answer('x'.repeat(100_000));
  await answer('x'.repeat(100_000));
  assert.equal(anew, 403, 'long code is not remembered');
});
