import { isDeepStrictEqual } from 'node:util';
import type { Verified } from '../../registry/caching/index.ts';
import { type Callable, verifySignature } from '../../registry/index.ts';
import { argumentsFor } from '../arguments/validate-arguments.ts';
import type { Run } from '../run/run.ts';
import { assertNotStale } from './assert-not-stale.ts';

type Stored = Callable & Verified;
type Arguments = Record<string, unknown>;

/** Runs a stored capability; without effect until `run.confirmed` settles. */
type Start<T> = (run: Run, stored: Stored, args: Arguments) => Promise<T>;

interface Speculation<T> {
  known: Stored;
  args: Arguments;
  result: Promise<T>;
  /** Lets the run have effects. */
  confirm(): void;
  /** Aborts the run. Its outcome is ignored. */
  drop(): void;
}

/** The row that was verified last. After a change on the change feed, names resolve to new objects, which have none. */
const lastVerified = new WeakMap<Callable, Stored>();

/**
 * Reads and checks the row of a capability. Meanwhile the code that was verified last runs without effect; its result is
 * returned if the row still holds that code.
 */
export async function verifyWhileRunning<T>(
  run: Run,
  capability: Callable,
  given: unknown,
  start: Start<T>,
): Promise<{ stored: Stored; args: Arguments; result?: Promise<T> }> {
  const speculation = speculate(run, capability, given, start);
  const stored = await readStored(run, capability).catch((error) => {
    speculation?.drop();
    throw error;
  });
  if (speculation && isSame(speculation.known, stored)) {
    speculation.confirm();
    return { stored, args: speculation.args, result: speculation.result };
  }
  speculation?.drop();
  return { stored, args: argumentsFor(stored, given, run.who) };
}

async function readStored(run: Run, capability: Callable): Promise<Stored> {
  try {
    const stored = await verifySignature(run, run.who, capability);
    await assertNotStale(run, stored);
    lastVerified.set(capability, stored);
    return stored;
  } catch (error) {
    lastVerified.delete(capability);
    throw error;
  }
}

function speculate<T>(
  run: Run,
  capability: Callable,
  given: unknown,
  start: Start<T>,
): Speculation<T> | undefined {
  const known = lastVerified.get(capability);
  // A cached result needs no run, and a run within a cached one must note its dependencies.
  if (known?.cachePolicy !== 'none' || run.dependencies) return undefined;
  const args = validArguments(known, given);
  if (!args) return undefined;
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>();
  const dropped = new AbortController();
  const { signal } = run.call;
  const held: Run = {
    ...run,
    confirmed,
    call: { ...run.call, signal: signal ? AbortSignal.any([signal, dropped.signal]) : dropped.signal },
    // A failure to send a line to the client must not end the process.
    onLog: run.onLog && ((line) => void confirmed.then(() => run.onLog?.(line)).catch(() => {})),
  };
  const result = start(held, known, args);
  // A dropped run may fail, too; the caller of a confirmed one awaits the result itself.
  result.catch(() => {});
  return { known, args, result, confirm, drop: () => dropped.abort() };
}

/** Undefined if the arguments do not fit the known schema: the check against the stored row then reports why. */
function validArguments(known: Stored, given: unknown): Arguments | undefined {
  try {
    return argumentsFor(known, given);
  } catch {
    return undefined;
  }
}

function isSame(known: Stored, { code, parametersSchema, cachePolicy }: Stored): boolean {
  return (
    code === known.code &&
    cachePolicy === known.cachePolicy &&
    isDeepStrictEqual(parametersSchema, known.parametersSchema)
  );
}
