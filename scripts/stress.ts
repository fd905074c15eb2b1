// Shows that the suite is green on a busy machine: `npm run stress`. Two busy loops run beside everything. What each suite
// printed is kept as build/stress-N.log.
//   --suites 3   how often the whole suite runs
//   --alone 100  how often each test that has ever failed under load runs by itself
//   --only TEXT  of those tests, the ones whose file or name holds the text
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from './build.ts';

const ROOT = path.join(import.meta.dirname, '..');
const BUSY_LOOPS = 2;
/** How many runs of one test go on at once. */
const LANES = 3;

/** A test that has failed under load; without a name, the whole file. */
interface OnceFailed {
  file: string;
  name?: string;
}

interface Run {
  passed: boolean;
  seconds: number;
  failures: string[];
  output: string;
}

const { values } = parseArgs({
  options: {
    suites: { type: 'string', default: '3' },
    alone: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
  },
});

await buildPackage();
const busy = Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ['-e', 'for (;;);']));
process.once('exit', () => end(busy));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

let failed = false;
for (let count = 1; count <= Number(values.suites); count++) {
  const { passed, seconds, failures, output } = await run(['scripts/test.ts']);
  writeFileSync(path.join(ROOT, 'build', `stress-${count}.log`), output);
  failed ||= !passed;
  console.log(`suite ${count}: ${passed ? 'passed' : 'FAILED'} in ${(seconds / 60).toFixed(1)} minutes`);
  for (const failure of failures) console.log(`  ${failure}`);
}
for (const test of Number(values.alone) > 0 ? onceFailed() : []) {
  const runs = await runAlone(test, Number(values.alone));
  const bad = runs.filter(({ passed }) => !passed).length;
  failed ||= bad > 0;
  console.log(
    `${runs.length - bad} of ${runs.length} passed: ${test.file}${test.name ? `, ${test.name}` : ''}`,
  );
  for (const { failures } of runs) for (const failure of failures) console.log(`  ${failure}`);
}
end(busy);
process.exitCode = failed ? 1 : 0;

function onceFailed(): OnceFailed[] {
  const all = JSON.parse(readFileSync(path.join(import.meta.dirname, 'once-failed.json'), 'utf8'));
  return (all as OnceFailed[]).filter(({ file, name }) => `${file} ${name ?? ''}`.includes(values.only));
}

/** Runs one test so often, a few at once. It starts a PostgreSQL of its own if it needs one. */
async function runAlone({ file, name }: OnceFailed, count: number): Promise<Run[]> {
  const pattern =
    name === undefined ? [] : [`--test-name-pattern=^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`];
  const runs: Run[] = [];
  let begun = 0;
  const lane = async () => {
    while (begun++ < count) runs.push(await run(['--test', '--test-reporter=spec', ...pattern, file]));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return runs;
}

/** Runs Node on the tests. A run in which no test ran has not passed: the test may have been renamed. */
async function run(args: string[]): Promise<Run> {
  const since = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(ROOT, 'build', 'compile-cache') },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const passed = code === 0 && /^ℹ pass [1-9]/m.test(output);
  return {
    passed,
    output,
    seconds: (performance.now() - since) / 1000,
    failures: passed ? [] : Array.from(output.matchAll(/^\s*✖ .*$/gm), ([line]) => line.trim()),
  };
}

function end(children: readonly ChildProcess[]): void {
  for (const child of children) child.kill('SIGKILL');
}
