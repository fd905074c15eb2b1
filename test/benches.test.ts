/** Every bench still runs. What it measures is not looked at: figures of a busy machine say nothing. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { writeSampleData } from './support/sample-data.ts';

const ROOT = join(import.meta.dirname, '..');
const BENCHES = readdirSync(join(ROOT, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('bench', file))
  .concat(join('bench', 'learning', 'verdicts.ts'));

const data = mkdtempSync(join(tmpdir(), 'pml-bench-data-'));
before(() => writeSampleData(data));
after(() => rmSync(data, { recursive: true, force: true }));

function run(...args: string[]): Promise<{ stdout: string }> {
  const env = { ...process.env, PML_DATA: data };
  const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024, timeout: 300_000 };
  return promisify(execFile)(process.execPath, ['--expose-gc', ...args], options);
}

describe('every bench', () => {
  for (const bench of BENCHES) {
    test(`${bench} runs with --smoke, and prints JSON`, async () => {
      const { stdout } = await run(bench, '--smoke', '--json');
      assert.equal(typeof JSON.parse(stdout), 'object', stdout);
    });
  }

  test('says with --help what it measures', async () => {
    // All go through one function, which prints the text and ends.
    for (const bench of BENCHES)
      assert.match(readFileSync(join(ROOT, bench), 'utf8'), /benchOptions\(HELP, \{/, bench);
    assert.match((await run('bench/code.ts', '--help')).stdout, /--smoke/);
  });

  test('has a script of its own in package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const started = Object.values(scripts).join('\n');
    for (const bench of BENCHES) assert.ok(started.includes(bench), bench);
  });
});
