import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { trackedEnv, trustFile } from '../config/index.ts';
import { openLog } from '../log.ts';
import { readStart, startFile } from '../remembered-answers.js';
import { VERSION } from '../version.ts';
import { loadClientConfig } from './client-config.ts';
import { RememberedAnswers } from './remember-answers.ts';

const dir = mkdtempSync(join(tmpdir(), 'pml-starts-'));
after(() => rmSync(dir, { recursive: true, force: true }));
const home = join(dir, 'home');
const file = join(dir, 'pml.json');
const KEY = '$' + '{KEY}';
const CONFIG = { mcpServers: { a: { command: 'x', env: { KEY }, envFile: '.env' } } };
const ENV = { HOME: dir, PML_HOME: home, KEY: 'secret-of-a-server', IRRELEVANT: 'yes' };
const ANSWERS = { 'tools/list 2025-11-25': { tools: [{ name: 'a' }] } };
const asked = { file, agent: undefined, capability: undefined };

beforeEach(async () => {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(home, 'keys'), { recursive: true });
  writeFileSync(join(home, 'keys', 'instance.pem'), 'the key of this instance');
  writeFileSync(join(dir, '.env'), 'TOKEN=one');
  writeFileSync(file, JSON.stringify(CONFIG));
  rmSync(join(dir, 'mcp-permissions.yaml'), { force: true });
  trustFile(home, file);
  await remember(ANSWERS);
});

/** Remembers answers to a session of this config. */
async function remember(answers: object, agent?: string): Promise<void> {
  const used = new Set<string>();
  const config = loadClientConfig(home, { cwd: dir, env: trackedEnv(ENV, used) });
  const memory = new RememberedAnswers(home, openLog({ level: 'silent' }));
  memory.writerFor(config, { env: ENV, agent }, used)(new Map(Object.entries(answers)));
  await memory.close();
}

function recall(env: Record<string, string> = ENV, version = VERSION): object | undefined {
  return readStart(home, version, asked, env);
}

test('answers are found again as long as nothing that decided them changes', () => {
  assert.deepEqual(recall(), ANSWERS);
  assert.deepEqual(recall({ ...ENV, IRRELEVANT: 'no', MORE: 'x' }), ANSWERS);
});

test('any change of what decides them makes them void', () => {
  assert.equal(recall({ ...ENV, KEY: 'another' }), undefined, 'a variable');
  assert.equal(recall({ HOME: dir, PML_HOME: home }), undefined, 'a variable that is gone');
  assert.equal(recall({ ...ENV, PML_USER: 'somebody' }), undefined, 'the user');
  assert.equal(recall({ ...ENV, PML_PROJECT: 'other' }), undefined, 'the scope');
  assert.equal(recall(ENV, '99.0.0'), undefined, 'the version');
  const changes: Record<string, () => void> = {
    config: () => writeFileSync(file, `${JSON.stringify(CONFIG)}\n`),
    envFile: () => writeFileSync(join(dir, '.env'), 'TOKEN=two'),
    routing: () => writeFileSync(join(dir, 'mcp-permissions.yaml'), 'a: { routing: cloud }'),
    trust: () => rmSync(join(home, 'trusted-configs'), { recursive: true }),
    key: () => writeFileSync(join(home, 'keys', 'instance.pem'), 'another key'),
  };
  for (const [what, change] of Object.entries(changes)) {
    change();
    assert.equal(recall(), undefined, what);
    writeFileSync(file, JSON.stringify(CONFIG));
    writeFileSync(join(dir, '.env'), 'TOKEN=one');
    rmSync(join(dir, 'mcp-permissions.yaml'), { force: true });
    trustFile(home, file);
    writeFileSync(join(home, 'keys', 'instance.pem'), 'the key of this instance');
    assert.deepEqual(recall(), ANSWERS, `${what} as before`);
  }
});

test('clients of two eras are remembered side by side', async () => {
  const modern = { 'tools/list 2026-07-28': { tools: [] } };
  await remember(modern);
  assert.deepEqual(recall(), { ...ANSWERS, ...modern });
});

test('an agent and its parts have answers of their own', async () => {
  assert.equal(readStart(home, VERSION, { ...asked, agent: 'analyst' }, ENV), undefined);
  await remember({ x: { tools: [] } }, 'analyst');
  assert.deepEqual(readStart(home, VERSION, { ...asked, agent: 'analyst' }, ENV), { x: { tools: [] } });
  assert.deepEqual(recall(), ANSWERS);
  const part = { ...asked, agent: 'analyst', capability: 'a' };
  assert.equal(readStart(home, VERSION, part, ENV), undefined);
});

test('a memory that is old, huge or no JSON is ignored', () => {
  const path = startFile(home, asked);
  const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  utimesSync(path, old, old);
  assert.equal(recall(), undefined);
  for (const text of ['', '{"seal":', 'null', '[]', '{"seal":1}', `"${'x'.repeat(3 * 1024 * 1024)}"`]) {
    writeFileSync(path, text);
    assert.equal(recall(), undefined, text.slice(0, 20));
  }
});

test('only the latest are kept', async () => {
  for (let one = 0; one < 60; one++) await remember(ANSWERS, `agent-${one}`);
  assert.equal(readdirSync(join(home, 'starts')).length, 50);
});
