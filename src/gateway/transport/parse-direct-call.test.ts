import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../json.ts';
import { ENVELOPE } from '../session/client-request.ts';
import { directToolCallOf, MODERN_VERSION } from './parse-direct-call.ts';

const META = {
  [ENVELOPE.version]: MODERN_VERSION,
  [ENVELOPE.clientInfo]: { name: 'shop', version: '1' },
  [ENVELOPE.capabilities]: {},
};

function modernCall(meta: object): JsonObject {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sum', _meta: meta } };
}

for (const key of [ENVELOPE.clientInfo, ENVELOPE.capabilities, ENVELOPE.logLevel]) {
  test(`an envelope whose ${key} is null is refused, even after a valid one`, () => {
    assert.ok(directToolCallOf(modernCall(META)));
    assert.equal(directToolCallOf(modernCall({ ...META, [key]: null })), undefined);
  });
}

test('the rest of _meta stays as it was sent, whatever its keys are', () => {
  const rest = '{"__proto__":{"progressToken":5},"trace":"a"}';
  const sent = { ...JSON.parse(rest), ...META };
  assert.equal(JSON.stringify(directToolCallOf(modernCall(sent))?.params), `{"name":"sum","_meta":${rest}}`);
  assert.deepEqual(directToolCallOf(modernCall(META))?.params, { name: 'sum' });
});
