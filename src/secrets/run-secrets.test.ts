import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunSecrets, SecretMatcher } from './run-secrets.ts';

const CALL = { isNested: false, isHandedOn: false };

function originOf(passed: string | number, given: unknown, call = CALL): string | undefined {
  const run = new RunSecrets();
  run.noteGiven(given, 'args');
  run.notePassed({ password: passed }, 'x:login', call);
  return run.known.secrets.find(({ text }) => text === String(passed))?.origin;
}

test('a secret that the run was given, whole or as a part, is not made by its code', () => {
  assert.equal(originOf('hunter2xyz', { p: 'hunter2xyz' }), 'given');
  assert.equal(originOf('hunter2xyz', 'the password is hunter2xyz, keep it'), 'given');
  assert.equal(originOf('a-hunter2xyz', { p: 'hunter2xyz' }), 'given');
  assert.equal(originOf(471100, [{ n: 471100 }]), 'given');
  assert.equal(originOf('hunter2xyz', { p: 'hunter3' }), 'made');
  assert.equal(originOf('prefix99-hunter2xyz', { p: 'hunter2xyz' }), 'made');
});

test('a capability makes its own secrets; what the code handed to it is the code’s', () => {
  assert.equal(originOf('hunter2xyz', {}, { isNested: true, isHandedOn: false }), 'given');
  const run = new RunSecrets();
  run.notePassed({ x: 'hunter2xyz' }, 'a:capability', { isNested: false, isHandedOn: true });
  run.notePassed({ password: 'hunter2xyz' }, 'x:login', { isNested: true, isHandedOn: false });
  assert.deepEqual(run.known.secrets, [
    { text: 'hunter2xyz', key: 'password', from: 'x:login password', origin: 'made' },
  ]);
});

test('more data than is kept leaves the origin unknown, and no secret is lost', () => {
  const texts = Array.from({ length: 100 }, (_, at) => `${at}${'x'.repeat(60_000)}`);
  assert.equal(originOf('hunter2xyz', texts), 'unknown');
  const run = new RunSecrets();
  for (let at = 0; at < 2001; at += 1) run.notePassed({ password: `hunter${at}x` }, 'x:login', CALL);
  assert.deepEqual([run.known.secrets.length, run.known.isFull], [2000, true]);
});

test('short secrets are found as whole words, common words and the shortest as whole texts alone', () => {
  const secrets = ['hunter2xyz', '4711', '465', 'test', 'password'].map((text) => ({
    ...{ text, key: 'k', from: 'x:y k', origin: 'made' as const },
  }));
  const matcher = new SecretMatcher(secrets);
  const found = (text: string) => matcher.spansIn(text).map(({ secret }) => secret.text);
  assert.deepEqual(found('xhunter2xyzy and 4711, not 14711 or 4711a'), ['hunter2xyz', '4711']);
  assert.deepEqual(found('465 tests of the test password'), []);
  assert.deepEqual(
    [465, 'test', 'password', 466].map((value) => matcher.whole(value)?.text),
    ['465', 'test', 'password', undefined],
  );
  assert.ok(matcher.isMentionedIn('the cvv is 465'));
  assert.ok(!matcher.isMentionedIn('there are 4650'));
});
