import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretSetting } from './index.ts';

test('a secret setting is recognised by its name or by its shape', () => {
  for (const key of [
    'API_KEY',
    'apiKey',
    'GITHUB_TOKEN',
    'Authorization',
    'X-Api-Key',
    'DB_PASSWORD',
    'clientSecret',
  ]) {
    assert.ok(isSecretSetting(key, 'something'), key);
  }
  for (const value of ['Bearer abcdef', 'ghp_0123456789abcdef', 'postgres://u:p@h/d'])
    assert.ok(isSecretSetting('X', value), value);
  for (const key of ['GIT_AUTHOR_NAME', 'KEYBOARD_LAYOUT', 'MAX_TOKENS', 'PATH', 'HOME']) {
    assert.ok(!isSecretSetting(key, 'something'), key);
  }
  assert.ok(!isSecretSetting('MAX_TOKEN', '40960000'));
});
