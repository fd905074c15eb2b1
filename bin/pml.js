#!/usr/bin/env node
// Starts under any Node ≥ 20. `pml serve`, which clients start for every session, stays in plain JavaScript: it needs
// neither a newer Node nor the rest of PML, and so starts as fast as Node does.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);
// A checkout runs from its sources, the package, which has none, from what was built of them.
const isBuilt = !existsSync(new URL('../src', import.meta.url));

if (args[0] === 'serve' && !args.includes('--help') && !args.includes('-h')) {
  const { parseServeOptions, serve } = await load('cli/stdio-bridge.js');
  await serve(parseServeOptions(args.slice(1)));
} else {
  const { isSuitableNode, missingPackage, runtimePath } = await load('runtime.js');
  if (!isSuitableNode()) rerun(runtimePath);
  else {
    await run().catch((error) => {
      const advice = missingPackage(error);
      if (!advice) throw error;
      fail(advice);
    });
  }
}

/** @param {string} file */
function load(file) {
  return import(isBuilt ? `../dist/${file.replace(/ts$/, 'js')}` : `../src/${file}`);
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`pml: ${message}\n`);
  process.exit(1);
}

async function run() {
  await enableCompileCache();
  if (args.length === 1 && args[0] === 'daemon') {
    const { runDaemon } = await load('cli/commands/daemon.ts');
    return runDaemon();
  }
  const { main } = await load('cli/index.ts');
  await main(args);
}

/** Keeps compiled code in the home, where nobody else writes. Nothing but the daemon makes a home for it. */
async function enableCompileCache() {
  const { homeOf } = await load('home.js');
  const home = homeOf(process.env);
  try {
    if (args[0] === 'daemon' && !existsSync(home)) mkdirSync(home, { mode: 0o700 });
  } catch {
    // The daemon itself says what is wrong with its home.
  }
  if (!existsSync(home) && !process.env.NODE_COMPILE_CACHE) return;
  const module = await import('node:module');
  // The cache also keeps the sources without their types, so only the first start pays for stripping them.
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE ?? join(home, 'compile-cache'));
  const cache = module.getCompileCacheDir?.();
  // Threads learn of it from here: with it a daemon needs 1.9 s of CPU until it is ready, without it 2.05 s.
  if (cache) process.env.NODE_COMPILE_CACHE ??= dirname(cache);
}

/** @param {() => string} runtimePath */
function rerun(runtimePath) {
  let runtime;
  try {
    runtime = runtimePath();
  } catch (error) {
    return fail(/** @type {Error} */ (error).message);
  }
  const child = spawn(runtime, [fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  // A terminal sends ctrl-C to both processes; any other signal reaches this one alone and is passed on.
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`the Node that came with PML does not start: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}
