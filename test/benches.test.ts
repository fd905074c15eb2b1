/**
 * Every bench still runs. What it measures is not looked at: figures of a busy machine say nothing. An everyday run leaves out
 * what starts many PMLs, which costs it a minute and guards nothing but the benches; `PML_EFFORT=1` runs all.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { IS_WHOLE } from '../src/testing/effort.ts';
import { scratchRoot } from '../src/testing/scratch.ts';
import { writeSampleData } from './support/sample-data.ts';

const ROOT = join(import.meta.dirname, '..');
const BENCHES = readdirSync(join(ROOT, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('bench', file))
  .concat(join('bench', 'learning', 'verdicts.ts'));

/** The benches of an everyday run, each with the part of it that takes a second or two. */
const EVERYDAY: Record<string, string[]> = {
  'bench/code.ts': [],
  'bench/discovery.ts': [],
  'bench/execute.ts': ['--only', 'runs'],
  'bench/gateway.ts': ['--only', 'lists'],
  'bench/learning/verdicts.ts': [],
};

const data = mkdtempSync(join(scratchRoot(), 'pml-bench-data-'));
before(() => writeSampleData(data));
after(() => rmSync(data, { recursive: true, force: true }));

function run(...args: string[]): Promise<{ stdout: string }> {
  const env = { ...process.env, PML_DATA: data, TMPDIR: scratchRoot() };
  const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024, timeout: 300_000 };
  return promisify(execFile)(process.execPath, ['--expose-gc', ...args], options);
}

describe('every bench', () => {
  for (const bench of BENCHES) {
    const part = IS_WHOLE ? [] : EVERYDAY[bench];
    const skip = part === undefined && 'PML_EFFORT=1 runs it';
    test(`${bench} runs with --smoke, and prints JSON`, { skip }, async () => {
      const { stdout } = await run(bench, '--smoke', '--json', ...(part ?? []));
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
