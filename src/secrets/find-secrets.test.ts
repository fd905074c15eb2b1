// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of a shell are among what is tested
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuOf, leastCpuOf } from '../testing/cpu-time.ts';
import { hideSecrets } from './index.ts';

const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

/** A text, and the same text without its secrets. */
// biome-ignore format: a table
const HIDES: [text: string, shown: string][] = [
  [`use ${TOKEN} here`, 'use [hidden] here'],
  ['sk-proj-abcdefghijklmnopqrstuvwxyz012345.', '[hidden].'],
  ['Authorization: Bearer 8f14e45fceea167a5a36dedd4bea2543', 'Authorization: Bearer [hidden]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1 end', '[hidden] end'],
  ['a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b', 'a [hidden] b'],
  ['postgres://app:hunter2@db.example.org:5432/app', 'postgres://[hidden]@db.example.org:5432/app'],
  ['postgres://app:p@ss@db.example.org/app', 'postgres://[hidden]@db.example.org/app'],
  ['git clone https://x7f3kd93ls@example.org/a.git', 'git clone https://[hidden]@example.org/a.git'],
  ['https://hooks.slack.com/services/T0/B0/xyz done', 'https://hooks.slack.com/services/[hidden] done'],
  // after a name
  ['https://x.example/?access_key=abcd1234&q=1', 'https://x.example/?access_key=[hidden]&q=1'],
  ['https://x.example/?sig=abcdefgh12345678&q=1', 'https://x.example/?sig=[hidden]&q=1'],
  ['curl -u ana:sesame https://x.example', 'curl -u [hidden] https://x.example'],
  ['curl --user "ana:s3same" https://x.example', 'curl --user "[hidden]" https://x.example'],
  ['curl -H "X-Api-Key: abc123def" https://x.example', 'curl -H "X-Api-Key: [hidden]" https://x.example'],
  ['curl -H "Cookie: sid=abc; theme=dark" x', 'curl -H "Cookie: [hidden]" x'],
  ['X_TOKEN=abcdefgh npm start', 'X_TOKEN=[hidden] npm start'],
  ['PGPASSWORD=swordfish psql', 'PGPASSWORD=[hidden] psql'],
  ['deploy --api-key k3y-k3y-k3y --force', 'deploy --api-key [hidden] --force'],
  ['deploy --password=swordfish', 'deploy --password=[hidden]'],
  ['{"user": "ana", "password": "open sesame"}', '{"user": "ana", "password": "[hidden]"}'],
  ['{"body":"{\\"password\\":\\"open sesame\\",\\"a\\":1}"}', '{"body":"{\\"password\\":\\"[hidden]\\",\\"a\\":1}"}'],
  ["login({ password: 'op\\'en' })", "login({ password: '[hidden]' })"],
  ['Endpoint=sb://x/;SharedAccessKey=abc+/=;a=b', 'Endpoint=sb://x/;SharedAccessKey=[hidden];a=b'],
  ['Server=x;Pwd=sesame;', 'Server=x;Pwd=[hidden];'],
  ['password: hunter22', 'password: [hidden]'],
];

/** Texts that look like a secret at first sight and hold none. */
const KEEPS: string[] = [
  'Read the token from the environment',
  'token: string; password: string',
  'The access token: it is needed for private repositories',
  'password = args.password2',
  'const token = getToken(ana1);',
  '{ token: args.token, password: process.env.PASSWORD1 }',
  '--token is required to log in',
  'next_page_token=abcdefgh12345678',
  'max_tokens=4096 temperature=1',
  'SELECT * FROM users WHERE token = $1 AND password = :password1',
  'mutation Login($password: String!, $token: Token1!) { ok }',
  'docker run -u 1000:1000 -u node:node image',
  'ssh://git@github.com/acme/web.git',
  'mail https://example.org, or ana@example.org',
  'https://readonly@example.org/',
  'PWD=/home/ana OLDPWD=/home/ana/secret1',
  'curl -H "Authorization: Bearer $TOKEN1" -u "$USER:$PASS"',
  'api_key=${API_KEY1}&token={{token1}}&secret=<secret1>',
  'password=********',
  '"api_key": "YOUR_API_KEY_1"',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'basic authentication with sk-learn-contrib',
  'secret-santa-gift-exchange-2024',
  'commit 9cfb482a-81e3-4154-b5b9-2c805e70a02d on refs/heads/main',
  'what has [hidden] in it: password=[hidden], token: [hidden]',
];

test('secrets are hidden by their shape, and by the name before them', () => {
  assert.deepEqual(
    HIDES.map(([text]) => hideSecrets(text)),
    HIDES.map(([, shown]) => shown),
  );
});

test('ordinary text stays unchanged', () => {
  assert.deepEqual(
    KEEPS.map((text) => hideSecrets(text)),
    KEEPS,
  );
});

/** Texts that begin like a secret again and again, or hold very many secrets. */
const HOSTILE: Record<string, string> = {
  'many secrets': `${TOKEN} `,
  'many settings': 'token=abcdefgh1 ',
  'no end of names': 'token=',
  'names and nothing': 'password ',
  'quoted names': '"password":"',
  'escaped names': '\\"password\\":\\"x',
  prefixes: 'sk-',
  tokens: 'eyJ-',
  'begun tokens': 'eyJ-.',
  keys: '-----BEGIN A PRIVATE KEY-----',
  schemes: 'Bearer ',
  addresses: '://a:b',
  users: '://aaaaaaaaaaaaaaaaaaaaaaaaa',
  webhooks: 'https://x.webhook.',
  cookies: 'cookie:: ',
  logins: ' -u aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  flags: ' --token ',
  letters: 'a',
  spaces: ' ',
};

test('the time is proportional to the length of the text', async () => {
  const filled = (piece: string, length: number) =>
    piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  for (const [what, piece] of Object.entries(HOSTILE)) {
    const short = await cpuOf(() => hideSecrets(filled(piece, 100_000)));
    const limit = 35 * Math.max(short, 5);
    const long = await leastCpuOf(() => hideSecrets(filled(piece, 1_000_000)), limit);
    // Ten times the length takes about ten times the time; quadratic patterns would take a hundred times.
    assert.ok(long < limit, `${what}: ${short} ms, then ${long} ms`);
  }
});
