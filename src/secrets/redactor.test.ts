import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hideSecrets, Redactor } from './index.ts';
import { secretsIn } from './json-secrets.ts';

const KNOWN_NONE = new Redactor();

test('any value under a key that names a secret is hidden, at any depth', () => {
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
  assert.deepEqual(KNOWN_NONE.json(value), {
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
  assert.deepEqual(new Set(secretsIn(value)), new Set(['a', 'hunter2', 'x', '1', 'k', 'Basic dTpw', '1234']));
});

test('under a plural key, the values that could be secret are hidden', () => {
  const value = {
    passwords: ['a', 'b'],
    apiKeys: { prod: 'p-1', test: 't-1' },
    tokens: ['USDC', 'ETH', 'a8f5f167f44f4964'],
    total_tokens: 4096,
    page_tokens: ['abcdefghijk'],
  };
  assert.deepEqual(KNOWN_NONE.json(value), {
    passwords: ['[hidden]', '[hidden]'],
    apiKeys: { prod: '[hidden]', test: '[hidden]' },
    tokens: ['USDC', 'ETH', '[hidden]'],
    total_tokens: 4096,
    page_tokens: ['abcdefghijk'],
  });
  assert.deepEqual(secretsIn(value), ['a', 'b', 'p-1', 't-1', 'a8f5f167f44f4964']);
});

test('an argument after a flag that names a secret is hidden', () => {
  const value = {
    args: [
      'run',
      '--password',
      'sesame',
      '--api-key=k3y-k3y',
      '-u',
      'ana:sesame',
      '--user',
      'ana',
      '-u',
      '1000:1000',
      '--force',
    ],
  };
  assert.deepEqual(KNOWN_NONE.json(value), {
    args: [
      'run',
      '--password',
      '[hidden]',
      '--api-key=[hidden]',
      '-u',
      '[hidden]',
      '--user',
      'ana',
      '-u',
      '1000:1000',
      '--force',
    ],
  });
});

test('a known secret is hidden everywhere, and in keys if it is no word', () => {
  assert.deepEqual(
    new Redactor(['sesame seed!', 'sesame seed', 'open']).json({
      'a sesame seed b': ['open sesame seed!', 'open'],
      open: 3,
    }),
    {
      'a sesame seed b': ['[hidden] [hidden]', '[hidden]'],
      open: 3,
    },
  );
});

test('a known secret is hidden in other encodings: escaped, in a URL, line by line, without its scheme', () => {
  const redactor = new Redactor(['Bearer to/ken&1', 'first line "x"\nsecond line']);
  assert.equal(redactor.text('a to/ken&1 b to%2Fken%261'), 'a [hidden] b [hidden]');
  assert.equal(
    redactor.text('second line, then first line \\"x\\"\\nsecond line'),
    '[hidden], then [hidden]',
  );
});

test('in a schema, secrets in descriptions are hidden and identifiers stay', () => {
  const schema = {
    type: 'object',
    properties: { password: { type: 'string', description: 'as in password=hunter22' } },
    required: ['password'],
  };
  assert.deepEqual(new Redactor(['password']).schema(schema), {
    ...schema,
    properties: { password: { type: 'string', description: 'as in [hidden]=[hidden]' } },
  });
});

test('secrets learnt from a run are hidden in its texts, and unknown to other runs', () => {
  const redactor = new Redactor(['configured-1']);
  const own = redactor.fork();
  own.learn({ headers: { Authorization: 'Bearer sesame-seed' } });
  assert.equal(own.text('got sesame-seed and configured-1'), 'got [hidden] and [hidden]');
  assert.equal(redactor.text('got sesame-seed and configured-1'), 'got sesame-seed and [hidden]');
  // Code may hold a value that was passed as an argument, but no secret of the config.
  assert.equal(own.containsKnownSecret('sesame-seed', 6), false);
  assert.equal(own.containsKnownSecret('configured-1', 6), true);
});

test('a run with too many secrets is hidden as a whole', () => {
  const own = new Redactor();
  own.learn({ tokens: Array.from({ length: 101 }, (_, at) => `token-number-${at}`) });
  assert.ok(own.isFull);
  assert.deepEqual([own.text('token-number-100'), own.json({ a: 1 })], ['[hidden]', '[hidden]']);
});

test('a text is cut after its secrets are hidden, so that no part of one is left', () => {
  const secret = 'tr0ub4dor-and-3-horses';
  for (const redactor of [new Redactor([secret]), KNOWN_NONE]) {
    const word = redactor === KNOWN_NONE ? 'ghp_16C7e42F292c6912E7710c838347Ae178B4a' : secret;
    for (let before = 0; before < 60; before += 1) {
      const shown = redactor.text(`${'x '.repeat(before)}${word}${' y'.repeat(3000)}`, 60);
      assert.ok(shown.length <= 60);
      for (let length = 6; length <= word.length; length += 1)
        assert.ok(!shown.includes(word.slice(0, length)), shown);
    }
  }
  assert.equal(hideSecrets('a'.repeat(10), 10), 'a'.repeat(10));
  assert.equal(hideSecrets('a'.repeat(11), 10), `${'a'.repeat(9)}…`);
  assert.equal(hideSecrets(`${'a'.repeat(8)}😀😀`, 10), `${'a'.repeat(8)}…`);
});

/** Pieces of secrets, so that many random texts nearly hold one. */
const PIECES = fc.constantFrom(
  ...[
    'ghp_',
    'sk-',
    'Bearer ',
    'token',
    'password',
    '=',
    ': ',
    '"',
    "'",
    '\\',
    '&',
    '?',
    '://',
    '@',
    ':',
    ' ',
    '\n',
  ],
  ...[
    'AKIA',
    '16C7e42F292c6912E7710c838347Ae17',
    'hunter22',
    'args.',
    'x',
    '--',
    '-u ',
    'cookie:',
    '[hidden]',
    '…',
    ';',
  ],
  ...['eyJhbGciOiJI.', '-----BEGIN PRIVATE KEY-----', 'secret_', '_', '1', 'true', 'curl'],
);
const TEXT = fc.array(PIECES, { maxLength: 14 }).map((pieces) => pieces.join(''));
const SECRET = fc.string({ minLength: 4, maxLength: 12 });

test('redacting twice changes nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(SECRET, { maxLength: 4 }), (value, secrets) => {
      const redactor = new Redactor(secrets);
      const once = redactor.json(value);
      assert.deepEqual(redactor.json(once), once);
    }),
  );
  fc.assert(
    fc.property(
      TEXT,
      fc.array(SECRET, { maxLength: 2 }),
      fc.integer({ min: 10, max: 60 }),
      (text, secrets, max) => {
        const redactor = new Redactor(secrets);
        const once = redactor.text(text, max);
        assert.ok(once.length <= max);
        assert.equal(redactor.text(once, max), once);
        assert.equal(redactor.text(redactor.text(text)), redactor.text(text));
      },
    ),
    { numRuns: 3000 },
  );
});
