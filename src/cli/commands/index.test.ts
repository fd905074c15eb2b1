import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { listedCommands, loadCommand } from './index.ts';

const FILES = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'index' && !name.endsWith('.test'));

test('each file here is the command of its name, and explains its usage', async () => {
  assert.ok(FILES.length > 20);
  for (const name of FILES) {
    const command = await loadCommand(name);
    assert.match(command?.help ?? '', new RegExp(`^Usage: pml ${name}\\b`), name);
  }
});

test('the overview lists each command but the daemon, which PML starts itself', () => {
  const names = listedCommands().map(({ name }) => name);
  assert.deepEqual(names.toSorted(), FILES.filter((name) => name !== 'daemon').toSorted());
});

test('a name that every object has is no command', async () => {
  assert.equal(await loadCommand('constructor'), undefined);
});
