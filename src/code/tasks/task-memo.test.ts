import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../json.ts';
import { Redactor } from '../../secrets/index.ts';
import type { PassedCall } from '../links/find-links.ts';
import { accept } from './accept.ts';
import { type LearnOptions, learn } from './learn.ts';
import { prepareRun } from './prepare-run.ts';
import { runCodeTask } from './run-code-task.ts';
import { TaskMemo } from './task-memo.ts';

const LOGIN: JsonSchema = { type: 'object', properties: { user: { type: 'string' } } };
const BUY: JsonSchema = { type: 'object', properties: { account: { type: 'string' } } };
const CALLS = `await mcp.shop.login({ user: "ana" });\nreturn await mcp.shop.buy({ account: "acc-83920174" })`;

function optionsOf(account: string, more: Partial<LearnOptions> = {}): LearnOptions {
  const names = ['shop:login', 'shop:buy'].map((name) => [name, name] as const);
  const passed: PassedCall[] = [
    { name: 'shop:login', args: { user: 'ana' }, result: { account, at: Math.random() } },
    { name: 'shop:buy', args: { account: 'acc-83920174' }, result: { receipt: Math.random() } },
  ];
  return {
    schemas: new Map([
      ['shop:login', LOGIN],
      ['shop:buy', BUY],
    ]),
    renamed: new Map(),
    canonical: new Map(names),
    given: [],
    secrets: new Redactor().known,
    verdicts: new Map(),
    passed,
    said: 'buy it',
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

test('code is learned anew when the calls of its run are linked in another way, not for other results', async () => {
  const linked = await runCodeTask('learn', CALLS, optionsOf('acc-83920174'));
  const again = await runCodeTask('learn', CALLS, optionsOf('acc-83920174'));
  const unlinked = await runCodeTask('learn', CALLS, optionsOf('acc-00000000'));
  assert.equal(again, linked);
  assert.notDeepEqual(unlinked, linked);
  assert.deepEqual(linked, learn(CALLS, optionsOf('acc-83920174')));
  assert.deepEqual(unlinked, learn(CALLS, optionsOf('acc-00000000')));
});

test('what is learned depends on everything that it was learned from', async () => {
  const base = optionsOf('none');
  const keyOf = (options: LearnOptions) => new TaskMemo().keyOf('learn', CALLS, [options]);
  const others: Partial<LearnOptions>[] = [
    { schemas: new Map([['shop:login', LOGIN]]) },
    { readOnly: new Map([['shop:login', true]]) },
    { renamed: new Map([['shop:buy', 'acme.web.shop.buy.1234']]) },
    { canonical: new Map([['shop:buy', 'shop:buy']]) },
    { given: ['account'] },
    { verdicts: new Map([['shop:buy account', 'data']]) },
    { secrets: new Redactor(['a secret of the configuration']).known },
    { passed: undefined },
  ];
  const keys = [base, ...others.map((more) => ({ ...base, ...more }))].map(keyOf);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(!keys.includes(undefined));
});

test('nothing is remembered of a run that had secrets', () => {
  const redactor = new Redactor().fork();
  redactor.learnPassed({ password: 'hunter2-hunter2' }, 'shop:login', { isNested: false, isHandedOn: false });
  const options = optionsOf('none', { secrets: redactor.known });
  assert.equal(new TaskMemo().keyOf('learn', CALLS, [options]), undefined);
});

test('the memo is bounded, and drops the oldest results', () => {
  const memo = new TaskMemo();
  const source = 'x'.repeat(100_000);
  for (let at = 0; at < 200; at++) memo.remember(`${at}`, source, { at });
  assert.ok(memo.size < 90, `${memo.size}`);
  assert.equal(memo.recall('0'), undefined);
  assert.deepEqual(memo.recall('199')?.value, { at: 199 });
  memo.remember('huge', 'x'.repeat(1_000_000), {});
  assert.equal(memo.recall('huge'), undefined);
});
