import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCode } from './read-code.ts';

test('code where a file belongs is told the way through a pipe, a missing file is not', async () => {
  await assert.rejects(readCode('return 1'), { code: 'bad_request', hint: /through a pipe/ });
  await assert.rejects(readCode('missing.ts'), {
    message: /^missing\.ts cannot be read: ENOENT/,
    hint: undefined,
  });
});
