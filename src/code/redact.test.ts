import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Json, redact, secretsIn } from './index.ts';

test('whatever stands under a key that names a secret is hidden, however deep', () => {
  const value = {
    token: 'a',
    Password: 'hunter2',
    client_secret: ['x', { y: 1 }],
    'X-API-Key': 'k',
    headers: [{ authorization: 'Basic dTpw' }],
    pin: 1234,
    next_page_token: 'page 2',
    max_tokens: 100,
    secret: true,
    path: 'a.json',
  };
  assert.deepEqual(redact(value, []), {
    token: '[hidden]',
    Password: '[hidden]',
    client_secret: ['[hidden]', { y: '[hidden]' }],
    'X-API-Key': '[hidden]',
    headers: [{ authorization: '[hidden]' }],
    pin: '[hidden]',
    next_page_token: 'page 2',
    max_tokens: 100,
    secret: true,
    path: 'a.json',
  });
  assert.deepEqual(secretsIn(value), ['a', 'hunter2', 'x', '1', 'k', 'Basic dTpw', '1234']);
});

test('a known secret is hidden wherever it stands, in keys if it is no word', () => {
  assert.deepEqual(
    redact({ 'a sesame seed b': ['open sesame seed!', 'open'], open: 3 }, [
      'sesame seed!',
      'sesame seed',
      'open',
    ]),
    {
      'a sesame seed b': ['[hidden] [hidden]', '[hidden]'],
      open: 3,
    },
  );
});

test('what is hidden stays as it is when it is hidden again, and holds no secret', () => {
  const secret = fc.string({ minLength: 4, maxLength: 12 });
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(secret, { maxLength: 4 }), (value, secrets) => {
      const once = redact(value as Json, secrets);
      assert.deepEqual(redact(once, secrets), once);
    }),
  );
});
