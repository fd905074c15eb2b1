/** A value that came from the environment by `${VAR}` is in no log, whoever prints it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { HostileHttp } from '../fixtures/hostile-http.ts';
import { type Finished, fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const SECRET = 'tr0ub4dor-and-3-horses';
const KEY = [
  '-----BEGIN KEY-----',
  'MIIBVgIBADANBgkqhkiG9w0BAQEFAASC',
  'q2w3e4r5t6y7u8i9o0p1a2s3d4f5g6h7',
  '-----END KEY-----',
];
const variable = (name: string) => `\${${name}}`;

const pml = new Pml({ after }, {}, { PML_LOG: 'debug', MY_SECRET: SECRET, MY_KEY: KEY.join('\n') });
let web: HostileHttp;
let up: Finished;
let answers: string[];

before(async () => {
  await onUsualEngine(pml);
  web = await HostileHttp.open();
  const headers = { Authorization: `Bearer ${variable('MY_SECRET')}` };
  pml.configure({
    mcpServers: {
      teller: {
        ...fixtureServer('hostile-stdio.ts'),
        env: { API_KEY: variable('MY_SECRET'), PRIVATE_KEY: variable('MY_KEY') },
      },
      web: { type: 'http', url: web.url, headers },
      failing: { ...fixtureServer('hostile-stdio.ts', '--start=die', `--names=${variable('MY_SECRET')}`) },
    },
  });
  const running = await pml.up();
  const session = await new RawSession(pml).initialize();
  answers = [];
  for (const [name, args] of [
    ['teller:tell_secret', { name: 'API_KEY' }],
    ['teller:tell_secret', { name: 'PRIVATE_KEY' }],
    ['teller:env', { name: 'API_KEY' }],
    ['web:tell_headers', {}],
  ] as const) {
    answers.push(textOf(await session.call(name, args)));
  }
  // A server's output arrives beside its answers.
  await eventually(() => logText().includes('end of PRIVATE_KEY'), 'the last line the server prints');
  up = await running.stop();
});
after(() => web.stop());

function logText(): string {
  const folder = join(pml.home, 'log');
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('');
}

function assertClean(text: string, where: string): void {
  for (const secret of [SECRET, ...KEY.slice(1, 3), KEY.join('\\n')]) {
    assert.ok(!text.includes(secret), `${where} holds ${secret}`);
  }
  assert.ok(!text.includes(SECRET.slice(0, 12)), `${where} holds the start of the secret`);
}

test('the servers got their secrets, and printed them', () => {
  assert.equal(answers[2], SECRET);
  assert.match(answers[3] ?? '', /HTTP 500/);
  assert.match(logText(), /\[teller\] my key is \[hidden\]/);
});

test('no log file holds them', () => {
  assertClean(logText(), 'the log');
});

test('the stderr of pml up, where the log goes too, does not hold them', () => {
  assert.match(up.stderr, /\[teller\] my key is \[hidden\]/);
  assertClean(up.stderr, 'stderr');
});

test('pml doctor does not show them, not even when it says how to try a server by hand', async () => {
  const { stdout, stderr } = await pml.run(['doctor']);
  assert.match(stdout, /FAIL server failing/);
  assert.match(stdout, /Try it by hand: .*\[hidden\]/);
  assertClean(stdout + stderr, 'pml doctor');
});

test('a config that is wrong is reported without the values in it', async () => {
  const args = ['--config', writeWrong()];
  const reason = /mcpServers\.a\.headers\.X-Key: is not a valid HTTP header/;
  const { code, stderr } = await pml.run(['up', '--port', '0', ...args]);
  assert.equal(code, 1);
  const session = await new RawSession(pml, { args }).initialize();
  const answer = JSON.stringify(await session.call('pml_execute', { intent: 'try', code: 'return 1' }));
  session.child.stdin.end();
  await session.ended;
  for (const text of [stderr, answer]) {
    assert.match(text, reason);
    assertClean(text, 'the report');
  }
});

function writeWrong(): string {
  pml.configure({
    mcpServers: {
      a: { type: 'http', url: 'http://127.0.0.1/', headers: { 'X-Key': `${variable('MY_KEY')}` } },
    },
  });
  return join(pml.dir, 'pml.json');
}
