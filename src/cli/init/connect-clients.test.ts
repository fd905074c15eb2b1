import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { clientFiles } from './client-files.ts';
import { findConnections } from './connect-clients.ts';

const PML = { mcpServers: { pml: { command: 'pml', args: ['serve'] } } };
const OTHER = { mcpServers: { notes: { command: 'notes' } } };

test('Claude Code is offered PML only where it has none: its command would fail', (t) => {
  const homeDir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'pml-connect-')));
  t.after(() => rmSync(homeDir, { recursive: true, force: true }));
  const [cwd, bin] = ['app', 'bin'].map((name) => path.join(homeDir, name)) as [string, string];
  for (const folder of [cwd, bin]) mkdirSync(folder);
  writeFileSync(path.join(bin, 'claude'), '', { mode: 0o755 });
  const isOffered = (config: unknown, isGlobal: boolean) => {
    const text = typeof config === 'string' ? config : JSON.stringify(config);
    writeFileSync(path.join(homeDir, '.claude.json'), text);
    const host = { platform: 'linux', homeDir, env: { PATH: bin }, cwd, isGlobal } as const;
    const files = clientFiles(host).filter(({ client }) => client === 'Claude Code');
    return findConnections(files, host).length === 1;
  };
  const cases = {
    none: OTHER,
    forUser: PML,
    forThisProject: { ...OTHER, projects: { [cwd]: PML } },
    forAnotherProject: { ...OTHER, projects: { [path.join(homeDir, 'other')]: PML } },
    damaged: '{ "mcpServers": ',
  };
  const offered = (isGlobal: boolean) =>
    Object.keys(cases).filter((name) => isOffered(cases[name as keyof typeof cases], isGlobal));
  assert.deepEqual(offered(false), ['none', 'forAnotherProject', 'damaged']);
  assert.deepEqual(offered(true), ['none', 'forThisProject', 'forAnotherProject', 'damaged']);
});
