import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainValueOf } from './tool-result.ts';

const said = (text: string) => plainValueOf({ content: [{ type: 'text', text }] });

test('a text that is JSON is its value, and any other text is itself', () => {
  const values = [{ a: 1 }, [1], 'x', -1.5, 0, true, false, null];
  for (const value of values) {
    assert.deepEqual(said(JSON.stringify(value)), value);
    assert.deepEqual(said(`\n\t\r ${JSON.stringify(value)} `), value);
  }
  for (const text of [
    '',
    ' ',
    'Echo: x',
    'true story',
    '[1',
    '{',
    '-',
    '1st',
    '+1',
    "'x'",
    '\ufeff{}',
    '日本',
  ])
    assert.equal(said(text), text);
});
