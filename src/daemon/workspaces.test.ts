import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../config/index.ts';
import { Embeddings } from '../discovery/index.ts';
import { openLog } from '../log.ts';
import type { Resources } from './resources.ts';
import { Workspaces } from './workspaces.ts';

const home = mkdtempSync(join(tmpdir(), 'pml-workspaces-'));
after(() => rmSync(home, { recursive: true, force: true }));

const configOf = (env: Record<string, string> = {}) =>
  loadConfig({ cwd: home, env: { PML_HOME: home, ...env }, flags: {} });

/** Workspaces without servers, which need no more resources than these. */
function workspaces(idleMs = 60_000) {
  const sizes: number[] = [];
  const sandbox = { resize: (size: number) => sizes.push(size) };
  const log = openLog({ level: 'silent' });
  const resources = { log, sandbox } as unknown as Resources;
  resources.embeddings = new Embeddings({ ...resources, home });
  return { open: new Workspaces(resources, idleMs), sizes };
}

test('sessions of one config share a workspace, also of two users, and those of two scopes do not', async () => {
  const { open } = workspaces();
  const first = open.acquire(configOf());
  assert.equal(open.acquire(configOf({ PML_USER: 'ben' })).gateway, first.gateway);
  assert.notEqual(open.acquire(configOf({ PML_PROJECT: 'other' })).gateway, first.gateway);
  assert.equal(open.list().length, 2);
  await open.close();
  assert.equal(open.list().length, 0);
});

test('a workspace closes some time after its last user has released it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { open } = workspaces(1000);
  const first = open.acquire(configOf());
  const second = open.acquire(configOf());
  first.release();
  first.release();
  t.mock.timers.tick(5000);
  assert.equal(open.list().length, 1, 'the second still uses it');
  second.release();
  t.mock.timers.tick(999);
  const third = open.acquire(configOf());
  t.mock.timers.tick(5000);
  assert.equal(third.gateway, first.gateway, 'acquired again in time');
  third.release();
  t.mock.timers.tick(1000);
  assert.equal(open.list().length, 0);
});

test('the sandbox gets the largest size that a workspace wants', async () => {
  const { open, sizes } = workspaces();
  const config = configOf();
  const sized = (concurrency: number) => ({ ...config, sandbox: { ...config.sandbox, concurrency } });
  open.acquire(sized(4));
  open.acquire(sized(9));
  open.acquire(sized(2));
  assert.deepEqual(sizes, [4, 9, 9]);
  await open.close();
});
