import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusPage } from './status-page.ts';

const STATUS = { version: '1.2.3', engine: 'pglite', sessions: 2, workspaces: [] };

test('the page shows what runs and how to connect', async () => {
  const servers = [
    { name: 'fs', state: 'ready', tools: 11 },
    { name: 'git', state: 'down', tools: 0, problem: 'command not found' },
  ];
  const workspaces = [{ config: '/work/pml.json', scope: 'local.default', sessions: 2, servers }];
  const page = String(await statusPage({ ...STATUS, workspaces }, 'http://127.0.0.1:3737'));
  for (const text of ['PML 1.2.3', 'pglite', 'http://127.0.0.1:3737/mcp', 'local.default', '/work/pml.json'])
    assert.ok(page.includes(text), text);
  assert.match(page, /<td>fs<\/td><td class="ready">ready<\/td>\s*<td>11<\/td>/);
  assert.match(page, /<td>git<\/td><td class="down">down<\/td>\s*<td>0<\/td><td>command not found<\/td>/);
});

test('names and messages of servers are escaped', async () => {
  const evil = '<script>alert("x")</script>';
  const servers = [{ name: evil, state: 'down', tools: 0, problem: evil }];
  const workspaces = [{ config: null, scope: evil, sessions: 0, servers }];
  const page = String(await statusPage({ ...STATUS, workspaces }, 'http://localhost'));
  assert.doesNotMatch(page, /<script/);
  assert.match(page, /&lt;script&gt;/);
  assert.match(page, /no config file/);
});
