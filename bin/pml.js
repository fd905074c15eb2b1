#!/usr/bin/env node
// Starts under any Node ≥ 20. `pml serve`, which clients start for every session, stays in plain JavaScript: it needs
// neither a newer Node nor the rest of PML, and so starts as fast as Node does.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);
// A checkout runs from its sources, the package from what was built of them.
const isBuilt = existsSync(new URL('../dist', import.meta.url));

if (args[0] === 'serve' && !args.includes('--help') && !args.includes('-h')) {
  const { parseServeOptions, serve } = await load('cli/stdio-bridge.js');
  await serve(parseServeOptions(args.slice(1)));
} else {
  const { NEEDED_MAJOR, missingPackage, runtimePath } = await load('runtime.js');
  if (Number(process.versions.node.split('.')[0]) < NEEDED_MAJOR) rerun(runtimePath);
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
  const module = await import('node:module');
  // The cache also keeps the sources without their types, so only the first start pays for stripping them.
  module.enableCompileCache?.();
  const cache = module.getCompileCacheDir?.();
  // Threads learn of it from here: with it a daemon needs 1.9 s of CPU until it is ready, without it 2.05 s.
  if (cache) process.env.NODE_COMPILE_CACHE ??= dirname(cache);
  if (args.length === 1 && args[0] === 'daemon') {
    const { runDaemon } = await load('cli/commands/daemon.ts');
    return runDaemon();
  }
  const { main } = await load('cli/index.ts');
  await main(args);
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
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}
