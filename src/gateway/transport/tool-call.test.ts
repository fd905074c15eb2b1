import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../json.ts';
import { ENVELOPE } from '../session/client-request.ts';
import { MODERN_VERSION, toolCallOf } from './tool-call.ts';

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
    assert.ok(toolCallOf(modernCall(META)));
    assert.equal(toolCallOf(modernCall({ ...META, [key]: null })), undefined);
  });
}
