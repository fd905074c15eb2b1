import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLog } from './log.ts';
import { eventually } from './testing/wait.ts';

function fileFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pml-log-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'log', 'pml.log');
}

test('many lines take few writes, keep their order, and only the owner can read them', async (t) => {
  const file = fileFor(t);
  const log = openLog({ level: 'info', file });
  log.hide(['swordfish']);
  const { cpuUsage } = process;
  const before = cpuUsage();
  for (let n = 0; n < 20_000; n++) log.info(`line ${n} swordfish`);
  const { system } = cpuUsage(before);
  assert.ok(system < 500_000, `${system} µs in the kernel`);
  await eventually(() => readFileSync(file, 'utf8').includes('line 19999'), 'the last line is written');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => line.slice(line.indexOf('line'))),
    Array.from({ length: 20_000 }, (_, n) => `line ${n} [hidden]`),
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('an error is written at once, with the lines before it', (t) => {
  const file = fileFor(t);
  const log = openLog({ level: 'info', file });
  log.info('before');
  log.error('it broke');
  assert.match(readFileSync(file, 'utf8'), /before\n.*it broke\n/);
});

for (const [what, end] of [
  ['exits', 'process.exit(3)'],
  ['throws', "throw new Error('uncaught')"],
]) {
  test(`a process that ${what} loses no line`, (t) => {
    const file = fileFor(t);
    const url = new URL('./log.ts', import.meta.url).href;
    const code = `import { openLog } from '${url}';
      const log = openLog({ level: 'info', file: process.argv[1] });
      for (let n = 0; n < 200; n++) log.info('line ' + n);
      ${end};`;
    spawnSync(process.execPath, ['--input-type=module', '-e', code, file]);
    assert.match(readFileSync(file, 'utf8'), /line 199\n$/);
  });
}

test('a full file is rotated once', async (t) => {
  const file = fileFor(t);
  const log = openLog({ level: 'info', file });
  writeFileSync(file, 'x'.repeat(6 * 1024 * 1024));
  log.error('fresh');
  assert.deepEqual(readdirSync(join(file, '..')).sort(), ['pml.log', 'pml.log.old']);
  assert.match(readFileSync(file, 'utf8'), /^\S+ ERROR fresh\n$/);
});
