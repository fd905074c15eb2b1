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
  wallMs: 3_000,
  turnCpuMs: 400,
  memoryMb: 64,
  resultBytes: 1_000_000,
  logBytes: 64_000,
  calls: 200,
  inFlight: 16,
};
/** A program that has to end by another limit gets this long: on a busy machine a guest, which runs niced, gets little done. */
const LONGEST_MS = 120_000;
/** And so much processor time for a turn, which is dearer there, too. */
const LONGEST_TURN_MS = 5_000;
/** The limit for another's run beside a hostile one, which a blocked run would exceed. */
const PROMPT_MS = 2_500;
/** On a busy machine a run may take this many times as long as the run before the attack. */
const PROMPT_FACTOR = 25;
/** A run that waited too long may have met a busy machine. The attack is repeated with limits so many times as long. */
const SLOWER = 10;

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
  if (ms > limitMs) throw new Waited(`another run waited ${ms} of ${limitMs} ms`);
  return ms;
}

class Waited extends Error {}

/** Runs a program, and others before, beside and after it, which it must not delay. */
async function attack(code: string, slowness: number): Promise<void> {
  const ends = header(code, 'ends') ?? 'missing';
  const own = JSON.parse(header(code, 'limits') ?? '{}');
  const wallMs = ends === 'timeout' ? slowness * LIMITS.wallMs : LONGEST_MS;
  const turnCpuMs = ['timeout', 'any'].includes(ends) ? LIMITS.turnCpuMs : LONGEST_TURN_MS;
  const limitMs = Math.max(slowness * PROMPT_MS, PROMPT_FACTOR * (await probe()));
  const cancel = new AbortController();
  const run = sandbox.run(
    code,
    { n: 1 },
    callOut,
    { ...LIMITS, turnCpuMs, ...own, wallMs },
    { signal: cancel.signal },
  );
  try {
    await probe(limitMs);
  } finally {
    if (header(code, 'cancel') !== undefined) cancel.abort();
    check(await run, ends);
  }
  await probe(limitMs);
}

describe('hostile programs', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.js'));
  assert.ok(files.length >= 40);
  for (const file of files) {
    test(file, async () => {
      const code = readFileSync(new URL(file, FOLDER), 'utf8');
      await attack(code, 1).catch((error) => {
        if (!(error instanceof Waited)) throw error;
        return attack(code, SLOWER);
      });
    });
  }
});
