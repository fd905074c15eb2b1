/**
 * Runs the official MCP conformance suite, for both protocol eras.
 *
 *   node scripts/conformance.ts          against the fixture server, which it starts
 *   node scripts/conformance.ts URL      against the endpoint at URL
 *
 * Exits 0 only if every scored scenario of both requirement sets passes.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runtimePath } from '../src/runtime.js';
import { serveHttp } from '../test/fixtures/conformance/serve-http.ts';

const REQUIREMENTS = ['2025-11-25', '2026-07-28'] as const;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

interface Scenario {
  readonly name: string;
  readonly isScored: boolean;
  readonly checks: readonly Check[];
}

export interface ConformanceRun {
  readonly requirements: string;
  readonly exitCode: number;
  readonly output: string;
  readonly scenarios: readonly Scenario[];
}

/** Runs the requirement sets in sequence, because each changes the server's lists while it listens. */
export async function runConformance(url: string, signal?: AbortSignal): Promise<ConformanceRun[]> {
  const runs: ConformanceRun[] = [];
  for (const requirements of REQUIREMENTS) {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'conformance-'));
    const args = ['--url', url, '--requirements', requirements, '--output-dir', dir.path];
    const { exitCode, output } = await runSuite(args, signal);
    runs.push({ requirements, exitCode, output, scenarios: await readScenarios(dir.path, output) });
  }
  return runs;
}

async function runSuite(args: string[], signal?: AbortSignal): Promise<{ exitCode: number; output: string }> {
  // The suite needs the repository's own Node, whichever Node runs this script.
  const suite = spawn(runtimePath(), [binOf('@modelcontextprotocol/conformance'), 'server', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const chunks: Buffer[] = [];
  suite.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  suite.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const exitCode = await new Promise<number>((resolve, reject) => {
    suite.once('error', reject);
    suite.once('close', (code) => resolve(code ?? 1));
  });
  return { exitCode, output: Buffer.concat(chunks).toString() };
}

function binOf(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> };
  const [path] = Object.values(bin);
  if (!path) throw new Error(`${name} brings no program`);
  return join(dirname(manifest), path);
}

/** Reads the suite's results: a folder for each scenario, `server-<scenario>-<time>`, and a list of unscored ones. */
async function readScenarios(dir: string, output: string): Promise<Scenario[]> {
  const unscored = new Set(Array.from(output.matchAll(/^ +[✓✗] (\S+) \(/gm), ([, name]) => name));
  const folders = (await readdir(dir)).flatMap((folder) => {
    const [, name, time] = /^server-(.+)-(\d{4}-\d\d-\d\dT[\d-]+Z)$/.exec(folder) ?? [];
    return name && time ? [{ folder, name, time }] : [];
  });
  folders.sort((a, b) => a.time.localeCompare(b.time));
  return Promise.all(
    folders.map(async ({ folder, name }) => ({
      name,
      isScored: !unscored.has(name),
      checks: await readChecks(join(dir, folder, 'checks.json')),
    })),
  );
}

async function readChecks(file: string): Promise<Check[]> {
  const json = await readFile(file, 'utf8').catch(() => undefined);
  if (json === undefined) return [{ id: 'ended', status: 'FAILURE', errorMessage: 'It broke off' }];
  return JSON.parse(json) as Check[];
}

function printTable(runs: readonly ConformanceRun[]): void {
  const names = [...new Set(runs.flatMap(({ scenarios }) => scenarios.map(({ name }) => name)))];
  const rows = names.map((name) => [
    name,
    ...runs.map(({ scenarios }) => describe(scenarios.find((scenario) => scenario.name === name))),
  ]);
  rows.unshift(['scenario', ...runs.map(({ requirements }) => requirements)]);
  rows.push(['scored and passed', ...runs.map(countPassed)]);
  rows.push(['exit code', ...runs.map(({ exitCode }) => String(exitCode))]);
  for (const [name = '', ...cells] of rows) {
    console.log([name.padEnd(46), ...cells.map((cell) => cell.padEnd(20))].join('').trimEnd());
  }
}

/** Formats a verdict. Warnings do not fail, as in the suite itself; parentheses mark unscored scenarios. */
function describe(scenario: Scenario | undefined): string {
  if (!scenario) return '';
  const count = (status: Check['status']) =>
    scenario.checks.filter((check) => check.status === status).length;
  const failures = count('FAILURE');
  const warnings = count('WARNING');
  const verdict = failures > 0 ? `FAIL ${failures}` : `pass ${count('SUCCESS')}`;
  const warned = warnings > 0 ? `${verdict}, warn ${warnings}` : verdict;
  return scenario.isScored ? warned : `(${warned})`;
}

function countPassed({ scenarios }: ConformanceRun): string {
  const scored = scenarios.filter(({ isScored }) => isScored);
  const passed = scored.filter(({ checks }) => checks.every(({ status }) => status !== 'FAILURE'));
  return `${passed.length} of ${scored.length}`;
}

function printComplaints(run: ConformanceRun): void {
  for (const { name, isScored, checks } of run.scenarios) {
    for (const { id, status, errorMessage } of checks) {
      const isComplaint = status === 'FAILURE' || status === 'WARNING';
      if (isScored && isComplaint) {
        console.log(`\n${status} ${run.requirements} ${name} ${id}\n  ${errorMessage}`);
      }
    }
  }
  // Only the suite's own output explains a scenario that broke off.
  if (run.exitCode !== 0) console.log(`\n--- output of ${run.requirements}\n${run.output}`);
}

async function main(given: string | undefined): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const fixture = given === undefined ? await serveHttp() : undefined;
  try {
    const runs = await runConformance(given ?? fixture?.url ?? '', stop.signal);
    printTable(runs);
    runs.forEach(printComplaints);
    process.exitCode = runs.every(({ exitCode }) => exitCode === 0) ? 0 : 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exitCode = 1;
  } finally {
    await fixture?.close();
  }
}

if (import.meta.main) await main(process.argv[2]);
