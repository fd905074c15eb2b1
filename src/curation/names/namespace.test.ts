import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceFor, usedTools } from './namespace.ts';
import { namingStyleOf } from './style.ts';

const PLAIN = namingStyleOf([]);

for (const [tools, expected] of [
  [['fs:read', 'fs:write', 'fs:list'], 'fs'],
  [['filesystem:read_text_file'], 'fs'],
  [['@modelcontextprotocol/server-filesystem:read_file'], 'fs'],
  [['http:post'], 'api'],
  [['fetch:fetch'], 'api'],
  [['db:execute'], 'db'],
  [['postgres:query'], 'db'],
  [['mcp-server-sqlite:read_query'], 'db'],
  [['git:commit'], 'git'],
  [['github:create_issue'], 'github'],
  [['bash:run'], 'shell'],
  [['playwright:browser_click'], 'browser'],
  [['puppeteer:navigate'], 'browser'],
  [['slack:post_message'], 'slack'],
  [['memory:create_entities'], 'memory'],
  [['math_api:mean'], 'math'],
  [['Acme CRM MCP server:find'], 'acme_crm'],
  [['local.default.invoices.send.a7f3'], 'invoices'],
  [['github:search_issues', 'filesystem:write_file', 'filesystem:move_file'], 'fs'],
  [['github:search_issues', 'filesystem:write_file'], 'github'],
  [['mcp:x', 'pml:execute', 'cap:list'], 'util'],
  [[], 'util'],
] as const)
  test(`${tools.join(', ') || 'no tools'}: ${expected}`, () => {
    assert.equal(namespaceFor(usedTools(tools), PLAIN), expected);
  });

test('a server whose name is a namespace in use keeps it', () => {
  const style = namingStyleOf(['filesystem:read', 'filesystem:write']);
  assert.equal(namespaceFor(usedTools(['filesystem:read']), style), 'filesystem');
  const both = namingStyleOf(['filesystem:read', 'fs:write']);
  assert.equal(namespaceFor(usedTools(['filesystem:read']), both), 'fs');
});

test('the style of names is that of most of them, without automatic names', () => {
  assert.deepEqual(namingStyleOf([]), { separator: '_', namespaces: [] });
  const style = namingStyleOf([
    'fs:read-json',
    'unnamed_a7f3',
    'unnamed_b8e2',
    'api:fetch-user',
    'api:get_user',
    'plain',
  ]);
  assert.deepEqual(style, { separator: '-', namespaces: ['api', 'fs'] });
});
