import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLoopback } from './server.ts';

test('only addresses of this machine may be listened on', () => {
  for (const host of ['127.0.0.1', '::1', 'localhost']) assertLoopback(host);
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'example.com', '127.0.0.1.evil.example', '']) {
    assert.throws(() => assertLoopback(host), { code: 'not_allowed', hint: /--host 127\.0\.0\.1/ }, host);
  }
});
