import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../json.ts';
import { secretsPassed } from './passed-secrets.ts';

const textsIn = (data: unknown, schema: Record<string, JsonSchema> = {}) =>
  secretsPassed(data, (path) => {
    const [first] = path;
    return typeof first === 'object' ? schema[first.property] : undefined;
  }).map(({ text }) => text);

test('secrets are found by key: texts and numbers, at any depth', () => {
  const data = {
    username: 'ana',
    password: 'hunter2xyz',
    card: { card_number: 4012888888881881, cvv: 465, holder: 'Ana' },
    list: [{ auth: { pin: 4711, user: 'ben' } }],
    verification_code: '970420',
    access_token: 'abc',
  };
  assert.deepEqual(textsIn(data).toSorted(), [
    '4012888888881881',
    '465',
    '4711',
    '970420',
    'abc',
    'hunter2xyz',
  ]);
});

test('values that only sound secret are none', () => {
  const data = {
    ...{
      pin: 13,
      pass: 3,
      max_tokens: 4096,
      token: 'USDC',
      next_page_token: 'abcdefgh12345678',
      tokens: 4096,
    },
    ...{ zip_code: '94103', promo_code: 'SAVE20', country_code: 'US', pinned: 1234, pinterest_id: 12345678 },
    ...{ pincode: '560001', card_id: 'card_3456', num_pins: 1000, searchPin: '1234567', issn: '123-45-6789' },
    ...{
      order_id: 4012888888881881,
      status_code: 200,
      stock_code: '600519',
      otp_id: 'x12345678',
      author: 'ana',
    },
  };
  assert.deepEqual(textsIn(data), []);
});

test('secrets are found by schema, unless the value only names one', () => {
  const schema = {
    a: { format: 'password' },
    b: { writeOnly: true },
    c: { description: "The user's PIN code. Four digits." },
    d: { description: 'API key for NVD access. Required.' },
    e: { description: 'API key ID' },
    f: { description: 'Pin naming format' },
    secret: { description: 'The name of the secret.' },
  };
  const data = { a: 'aaa1', b: 'bbb2', c: 4711, d: 'ddd3', e: 'eee4', f: 'alpha', secret: 'db-secret' };
  assert.deepEqual(textsIn(data, schema), ['aaa1', 'bbb2', '4711', 'ddd3']);
});

test('secrets are found in header maps, lists of headers, pairs, and after flags', () => {
  const data = {
    headers: { Authorization: 'Bearer tok-1234567', Accept: 'text/html' },
    list: [{ name: 'X-Api-Key', value: 'key-1' }],
    pairs: [
      ['Cookie', 'sid=abc12345'],
      ['Accept', 'x'],
    ],
    argv: ['deploy', '--password', 'open-1', '--force', 'yes'],
    basic: { Authorization: `Basic ${btoa('ana:sesame9')}` },
  };
  assert.deepEqual(
    textsIn(data).toSorted(),
    ['key-1', 'open-1', 'sesame9', 'sid=abc12345', 'tok-1234567', btoa('ana:sesame9')].toSorted(),
  );
});

test('secrets are found by shape: issued tokens, and card numbers whose check digit fits', () => {
  const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
  assert.deepEqual(textsIn({ text: `use ${token} here`, n: '4012 8888 8888 1881', m: 4012888888881882 }), [
    token,
    '4012 8888 8888 1881',
  ]);
});

test('a secret is found behind any amount of data', () => {
  const rows = Array.from({ length: 60_000 }, (_, at) => ({ id: at, values: [at, 'x'] }));
  assert.deepEqual(textsIn({ rows, last: { password: 'hunter2xyz' } }), ['hunter2xyz']);
});
