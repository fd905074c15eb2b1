import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { DEFAULT_LIMITS, type Limits, type Outcome, openSandbox } from '../../src/sandbox/index.ts';

/**
 * Runs programs that attack the sandbox. The head of each says how it must end: `// ends:` a kind of failure, `value`
 * with JSON, or `any`; `// limits:` which limits differ from those below; `// cancel` that the caller cancels it.
 */
const FOLDER = new URL('./programs/', import.meta.url);
const LIMITS: Limits = {
  wallMs: 1_500,
  turnCpuMs: 400,
  memoryMb: 64,
  resultBytes: 1_000_000,
  logBytes: 64_000,
  calls: 200,
  inFlight: 16,
};
/** A program that has to end by another limit gets this long: on a busy machine a guest, which runs niced, gets little done. */
const LONGEST_MS = 120_000;
/** The limit for another's run beside a hostile one, which a blocked run would exceed. */
const PROMPT_MS = 2_500;
/** On a busy machine a run may take this many times as long as the run before the attack. */
const PROMPT_FACTOR = 25;

const sandbox = openSandbox();
after(() => sandbox.close());

/** The tools that the guest may call. */
async function callOut(path: string[], args: unknown, signal: AbortSignal): Promise<unknown> {
  const name = path.join(':');
  if (name === 'echo:back') return args;
  if (name === 'echo:length') return JSON.stringify(args).length;
  if (name === 'echo:never') {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }
  throw new Error(`no tool ${name.slice(0, 100)}`);
}

function header(code: string, key: string): string | undefined {
  return new RegExp(`^// ${key}(?:: (.*))?$`, 'm').exec(code)?.[0]?.slice(`// ${key}: `.length);
}

function check(outcome: Outcome, ends: string): void {
  const kind = outcome.ok ? `value ${JSON.stringify(outcome.value)}` : outcome.kind;
  if (ends !== 'any') assert.equal(kind, ends, JSON.stringify(outcome).slice(0, 1_000));
  assert.ok(outcome.ok || (outcome.message.length > 0 && outcome.message.length < 30_000));
}

/** Runs other code and returns how long that took. */
async function probe(limitMs = Infinity): Promise<number> {
  const start = performance.now();
  const outcome = await sandbox.run(
    'return await mcp.echo.back({ n: args.n + 1 })',
    { n: 1 },
    callOut,
    DEFAULT_LIMITS,
  );
  const ms = performance.now() - start;
  assert.deepEqual(outcome.ok && outcome.value, { n: 2 }, JSON.stringify(outcome));
  assert.ok(ms < limitMs, `another run waited ${ms} of ${limitMs} ms`);
  return ms;
}

describe('hostile programs', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.js'));
  assert.ok(files.length >= 40);
  for (const file of files) {
    test(file, async () => {
      const code = readFileSync(new URL(file, FOLDER), 'utf8');
      const ends = header(code, 'ends') ?? 'missing';
      const own = JSON.parse(header(code, 'limits') ?? '{}');
      const limits = { ...LIMITS, ...own, wallMs: ends === 'timeout' ? LIMITS.wallMs : LONGEST_MS };
      const cancel = new AbortController();
      const limitMs = Math.max(PROMPT_MS, PROMPT_FACTOR * (await probe()));
      const run = sandbox.run(code, { n: 1 }, callOut, limits, { signal: cancel.signal });
      await probe(limitMs);
      if (header(code, 'cancel') !== undefined) cancel.abort();
      check(await run, ends);
      await probe(limitMs);
    });
  }
});
