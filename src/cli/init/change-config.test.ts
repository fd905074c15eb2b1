import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { freshFolder } from '../../store/testing.ts';
import { addToConfig } from './change-config.ts';

test('a server is added to the file that PML_CONFIG names, as all commands read it', (t) => {
  const homeDir = freshFolder(t);
  const cwd = path.join(homeDir, 'project');
  mkdirSync(cwd);
  const named = path.join(homeDir, 'named.json');
  writeFileSync(named, '{}');
  const env = {
    HOME: homeDir,
    USERPROFILE: homeDir,
    PML_HOME: path.join(homeDir, 'pml'),
    PML_CONFIG: '~/named.json',
  };
  const file = addToConfig({ platform: process.platform, homeDir, env, cwd }, 'web', {
    url: 'https://example.com/mcp',
  });
  assert.equal(file, named);
  assert.match(readFileSync(named, 'utf8'), /"web"/);
});
