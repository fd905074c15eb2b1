import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOlder, parseHandshake } from './handshake.ts';

const VERSIONS = { dialect: 1, version: '1.2.3' };
const PLACE = { cwd: '/work', env: { PATH: '/bin' } };

test('each kind of handshake is understood, with the keys that older clients send', () => {
  const handshakes = [
    { ...VERSIONS, kind: 'session', ...PLACE, config: 'pml.json', agent: 'analyst' },
    { ...VERSIONS, kind: 'status' },
    { ...VERSIONS, kind: 'stop' },
    { ...VERSIONS, kind: 'errands', ...PLACE },
    { ...VERSIONS, kind: 'up', ...PLACE, host: '127.0.0.1', port: 0 },
  ];
  for (const handshake of handshakes) {
    assert.deepEqual(parseHandshake(JSON.stringify(handshake)), handshake);
  }
});

test('keys of a newer client are left out', () => {
  const line = JSON.stringify({ ...VERSIONS, kind: 'status', colour: 'red' });
  assert.deepEqual(parseHandshake(line), { ...VERSIONS, kind: 'status' });
});

const REFUSED: [string, string, RegExp][] = [
  ['no JSON', 'GET / HTTP/1.1', /must be a handshake/],
  ['an empty line', '', /must be a handshake/],
  ['null', 'null', /another version/],
  ['no protocol version', '{}', /another version/],
  ['another protocol version', '{"dialect":99,"version":"9.9.9","kind":"stop"}', /another version/],
  ['an unknown kind', '{"dialect":1,"version":"0.0.1","kind":"dance"}', /was not understood/],
  ['a session without a folder', '{"dialect":1,"version":"0.0.1","kind":"session"}', /was not understood/],
];
for (const [what, line, words] of REFUSED) {
  test(`a handshake with ${what} is refused`, () => {
    assert.throws(() => parseHandshake(line), { code: 'bad_request', message: words });
  });
}

test('versions are compared by their numbers', () => {
  const ORDER = ['0.9.9', '0.10.0', '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0'];
  for (const [i, a] of ORDER.entries()) {
    for (const [j, b] of ORDER.entries()) assert.equal(isOlder(a, b), i < j, `${a} before ${b}`);
  }
  assert.equal(isOlder('1.0.0-rc.1', '1.0.0'), false);
  assert.equal(isOlder('not a version', '0.0.1'), true);
});
