import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeUrlOf } from './server-records.ts';

function started(command: string, ...args: string[]) {
  return codeUrlOf({ transport: { kind: 'stdio', command, args, env: {}, cwd: '/' } }, []);
}

test('13.8-AC3 the config tells where the code of a server is, and no secret', () => {
  assert.equal(
    started('npx', '-y', '@modelcontextprotocol/server-filesystem@1.2.0', '.'),
    'https://www.npmjs.com/package/@modelcontextprotocol/server-filesystem',
  );
  assert.equal(started('/usr/bin/uvx', 'mcp-server-git'), 'https://pypi.org/project/mcp-server-git');
  assert.equal(started('node', '/home/ana/secret.js'), null);
  const url = 'https://user:pass@example.com/mcp?key=abc';
  assert.equal(codeUrlOf({ transport: { kind: 'http', url, headers: {} } }, []), 'https://example.com/mcp');
});
