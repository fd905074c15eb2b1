import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addServer, removeServer } from './edit-servers.ts';

const TEXTS = {
  'comments and trailing commas':
    '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "a" }, // first\n  },\n  "x": 1,\n}\n',
  'one line': '{"mcpServers":{"a":{"command":"a"}}}',
  'line ends of Windows': '{\r\n  "mcpServers": {\r\n    "a": { "command": "C:\\\\a.exe" }\r\n  }\r\n}\r\n',
  'a byte order mark': '\uFEFF{ "mcpServers": { "a": { "command": "a" } } }\n',
};
for (const [what, text] of Object.entries(TEXTS)) {
  test(`a server is added and removed again: ${what}`, () => {
    const added = addServer(text, 'mcpServers', 'pml', { command: 'pml', args: ['serve'] });
    assert.ok(added !== undefined && added !== text);
    assert.equal(added.includes('\r\n'), text.includes('\r\n'));
    assert.equal(/[^\r]\n/.test(added) && added.includes('\r\n'), false, 'one kind of line end');
    const removed = removeServer(added, 'mcpServers', 'pml');
    assert.equal(removed?.replace(/\s/g, ''), text.replace(/\s/g, ''));
  });
}

test('the first and the only server of a file can be removed', () => {
  const two = '{\n  "mcpServers": {\n    // a\n    "a": { "command": "a" },\n    "b": {}\n  }\n}\n';
  assert.equal(removeServer(two, 'mcpServers', 'a'), '{\n  "mcpServers": {\n    // a\n    "b": {}\n  }\n}\n');
  assert.equal(removeServer('{"servers": {"a": {}}}', 'servers', 'a'), '{"servers": {}}');
});

test('an empty file gets its first server; what is no config, and a name that is taken, is left alone', () => {
  assert.deepEqual(JSON.parse(addServer('', 'servers', 'pml', {}) ?? ''), { servers: { pml: {} } });
  for (const text of ['{ oops', '[]', '{"mcpServers": []}', '{"mcpServers": {"pml": {}}}'])
    assert.equal(addServer(text, 'mcpServers', 'pml', {}), undefined);
  assert.equal(removeServer('{"mcpServers": {}}', 'mcpServers', 'a'), undefined);
});
