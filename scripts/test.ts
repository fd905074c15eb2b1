// Runs the tests: all of them, or those that the arguments of `node --test` pick. `npm run tests`,
// `npm run tests -- src/config/jsonc.test.ts`, `npm run tests -- --test-name-pattern=FR042 src/registry/lookup/version.test.ts`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { prepareTemplate } from '../src/store/pglite/cluster.ts';
import { buildPackage } from './build.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** A test file that takes longer hangs. It fails then, instead of keeping the suite from its end. */
const MAX_FILE_MS = 600_000 * Number(process.env.PML_EFFORT || 1);
const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts'];

await prepareTemplate();
await buildPackage();
const picked = process.argv.slice(2);
const child = spawn(
  process.execPath,
  [
    '--test',
    // One more than the cores of a small machine: some tests mostly wait, for a grace period or a timeout.
    '--test-concurrency=3',
    `--test-timeout=${MAX_FILE_MS}`,
    '--test-global-setup=test/global-setup.ts',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/slowest-files.ts',
    '--test-reporter-destination=stdout',
    ...(picked.length > 0 ? picked : ALL),
  ],
  {
    cwd: ROOT,
    stdio: 'inherit',
    // Half of the time that a test file takes to load goes into stripping types and compiling.
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(ROOT, 'build', 'compile-cache') },
  },
);
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
