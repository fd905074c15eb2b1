// Shows that the suite is green on a busy machine: `npm run stress`. Two busy loops run beside everything. What each suite
// printed is kept as build/stress-N.log.
//   --suites 3   how often the whole suite runs
//   --alone 100  how often each test that has ever failed under load runs by itself
//   --only TEXT  of those tests, the ones whose file or name holds the text
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from 'node:test';
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

interface Suite {
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

// Tests of the package call npm. It is better to say so now than when they fail, some suites later.
if (!process.env.npm_execpath) throw new Error('Run this with npm: npm run stress');
await buildPackage();
process.env.NODE_COMPILE_CACHE = path.join(ROOT, 'build', 'compile-cache');
const busy = Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ['-e', 'for (;;);']));
let suite: ChildProcess | undefined;
process.once('exit', () => {
  end(busy);
  suite?.kill('SIGINT');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

let failed = false;
for (let count = 1; count <= Number(values.suites); count++) {
  const { passed, seconds, failures, output } = await runSuite();
  writeFileSync(path.join(ROOT, 'build', `stress-${count}.log`), output);
  failed ||= !passed;
  console.log(`suite ${count}: ${passed ? 'passed' : 'FAILED'} in ${(seconds / 60).toFixed(1)} minutes`);
  for (const failure of failures) console.log(`  ${failure}`);
}
const alone = Number(values.alone);
for (const test of alone > 0 ? onceFailed() : []) {
  const { passed, seconds, failures } = await runAlone(test, alone);
  failed ||= passed < alone;
  const what = `${test.file}${test.name ? `, ${test.name}` : ''}`;
  console.log(`${passed} of ${alone} passed in ${(seconds / 60).toFixed(1)} minutes: ${what}`);
  for (const failure of failures) console.log(`  ${failure}`);
}
end(busy);
process.exitCode = failed ? 1 : 0;

function onceFailed(): OnceFailed[] {
  const all = JSON.parse(readFileSync(path.join(import.meta.dirname, 'once-failed.json'), 'utf8'));
  return (all as OnceFailed[]).filter(({ file, name }) => `${file} ${name ?? ''}`.includes(values.only));
}

/** Runs one test `count` times, each time in a process of its own, a few at once. All share one PostgreSQL. */
async function runAlone({ file, name }: OnceFailed, count: number) {
  const since = performance.now();
  const options = {
    files: Array<string>(count).fill(path.join(ROOT, file)),
    concurrency: LANES,
    globalSetupPath: path.join(ROOT, 'test', 'global-setup.ts'),
    ...(name !== undefined && {
      testNamePatterns: new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
    }),
  };
  const failures: string[] = [];
  let passed = 0;
  const events = run(options);
  events.on('test:fail', (test) => failures.push(`${test.name}: ${messagesOf(test.details.error)}`));
  // A process that dies reports nothing. A process in which no test ran has not passed: the test may have been renamed.
  events.on('test:summary', ({ file: ofProcess, success, counts }) => {
    if (ofProcess !== undefined && success && counts.passed > 0) passed++;
  });
  await once(events.resume(), 'close');
  return { passed, seconds: (performance.now() - since) / 1000, failures };
}

/** Returns the messages of an error and its causes, the outermost first: a failed property names its assertion as the cause. */
function messagesOf(error: unknown): string {
  const messages: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) messages.push(each.message);
  return [...new Set(messages)].join('\n    cause: ');
}

/** Runs the whole suite. */
async function runSuite(): Promise<Suite> {
  const since = performance.now();
  const child = spawn(process.execPath, ['scripts/test.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PML_EVERY_FILE: '1', PML_BROWSER_TESTS: 'required' },
  });
  suite = child;
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  suite = undefined;
  const passed = code === 0;
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
