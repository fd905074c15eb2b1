import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { firstAnswers } from './first-start.ts';

const dir = mkdtempSync(join(tmpdir(), 'pml-first-start-'));
after(() => rmSync(dir, { recursive: true, force: true }));
const config = join(dir, 'pml.json');
const RECORDED = {
  'initialize 2025-11-25': { protocolVersion: '2025-11-25', instructions: 'as recorded' },
  'tools/list 2025-11-25': { tools: [{ name: 'pml_execute' }] },
};

function answersFor(text: string) {
  writeFileSync(config, text);
  return firstAnswers(RECORDED, { cwd: dir, env: { HOME: dir }, config });
}

test('the recorded answers get the instructions of the config', () => {
  const answers = answersFor('{ "mcpServers": { "files": { "command": "x" } } } // a comment');
  assert.deepEqual(answers?.['tools/list 2025-11-25'], RECORDED['tools/list 2025-11-25']);
  const { protocolVersion, instructions } = answers?.['initialize 2025-11-25'] ?? {};
  assert.equal(protocolVersion, '2025-11-25');
  assert.match(String(instructions), /files \(starting\)/);
});

test('a config that cannot be used, or makes an agent of the client, is left to the daemon', () => {
  assert.equal(answersFor('{ "mcpServers": { "a": '), undefined);
  assert.equal(answersFor('{ "mcpServer": {} }'), undefined);
  assert.equal(answersFor('{ "agents": { "a": {} }, "defaultAgent": "a" }'), undefined);
  rmSync(config);
  assert.equal(firstAnswers(RECORDED, { cwd: dir, env: { HOME: dir }, config }), undefined);
});
