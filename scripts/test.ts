// Runs the tests: all of them, or those that the arguments of `node --test` pick. `npm run tests`,
// `npm run tests -- src/config/jsonc.test.ts`, `npm run tests -- --test-name-pattern=FR042 src/registry/lookup/version.test.ts`.
// The first run in a checkout has all tests. Once they have passed, tests of a whole PML take turns; PML_EVERY_FILE=1 and
// PML_EFFORT=1 run them all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { prepareTemplate } from '../src/store/pglite/cluster.ts';
import { IS_WHOLE } from '../src/testing/effort.ts';
import { buildPackage } from './build.ts';
import slowestFiles from './slowest-files.ts';
import { endTurn, leftOut, nextTurn, testProcesses } from './test-processes.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** A process that takes longer is stuck: it fails, instead of keeping the suite from ending. */
const MAX_FILE_MS = 600_000 * Number(process.env.PML_EFFORT || 1);
/** Twice the cores of a small machine: many tests mostly wait, for a grace period, a timeout or another process. */
const CONCURRENCY = 4;
/** Starts what all test files share. */
const GLOBAL_SETUP = 'test/global-setup.ts';

await prepareTemplate();
await buildPackage();
// Half of the time that a test file takes to load goes into stripping types and compiling.
process.env.NODE_COMPILE_CACHE = path.join(ROOT, 'build', 'compile-cache');
process.chdir(ROOT);
const picked = process.argv.slice(2);
process.exitCode = picked.length > 0 ? await runPicked(picked) : await runAll();

/** Runs each test file in a process of its own. */
async function runPicked(args: readonly string[]): Promise<number> {
  const options = [
    `--test-concurrency=${CONCURRENCY}`,
    `--test-timeout=${MAX_FILE_MS}`,
    `--test-global-setup=${GLOBAL_SETUP}`,
    '--test-reporter=spec',
  ];
  const child = spawn(process.execPath, ['--test', ...options, ...args], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function runAll(): Promise<number> {
  const processes = testProcesses();
  const others = IS_WHOLE || process.env.PML_EVERY_FILE ? [] : leftOut(processes, nextTurn());
  const options = {
    files: processes.filter((file) => !others.includes(file)),
    concurrency: CONCURRENCY,
    timeout: MAX_FILE_MS,
    globalSetupPath: GLOBAL_SETUP,
  };
  let failed = false;
  const events = run(options).on('test:fail', ({ todo }) => {
    failed ||= !todo;
  });
  for (const reporter of [new spec(), slowestFiles])
    events.compose(reporter as typeof spec.prototype).pipe(process.stdout, { end: false });
  await once(events, 'close');
  if (others.length > 0) {
    const [count, every] = [others.length, processes.length];
    console.log(`${count} of ${every} processes are left for the next runs. PML_EVERY_FILE=1 runs all:`);
    console.log(others.join(' '));
  }
  if (!failed) endTurn();
  return failed ? 1 : 0;
}
