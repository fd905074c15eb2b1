import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redactor } from '../../secrets/index.ts';
import { scanForSecret } from './secret-scan.ts';

test('secrets are found by key, shape and value, in small and in large data', async () => {
  const redactor = new Redactor(['the-value-of-a-setting']);
  const run = redactor.fork();
  run.learnTexts(['passed in this run']);
  const secrets = [
    { password: 'hunter2' },
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
    'with the-value-of-a-setting inside',
    { text: 'it was passed in this run' },
  ];
  for (const filler of ['', 'x '.repeat(5000)]) {
    assert.equal(await scanForSecret(run, { filler, value: ['plain', 1, null] }), false);
    assert.equal(await scanForSecret(run, undefined), false);
    for (const value of secrets)
      assert.equal(await scanForSecret(run, { filler, value }), true, JSON.stringify(value));
  }
});
