import { type FunctionBody, onCode } from '../code/index.ts';
import { type ErrorCode, PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Patience } from '../patience.ts';
import { type Callable, checked, type Keys, warnOfAlias } from '../registry/index.ts';
import type { Journal, Recordings } from '../runs/index.ts';
import type { Limits, LogLine, Outcome, Sandbox } from '../sandbox/index.ts';
import type { CallContext, Listed } from '../upstream/index.ts';
import { argumentsFor } from './arguments.ts';
import { callOut, plainValueOf } from './call-out.ts';
import { assertFresh } from './fresh.ts';
import { Recorder, type Tape } from './tape.ts';
import {
  canonicalName,
  isIdentity,
  notThere,
  type Reach,
  type Target,
  targetOf,
  unknownName,
} from './targets.ts';

/** How deep capabilities may call each other. */
const MAX_DEPTH = 8;
export const CAPABILITY_SERVER = 'pml-capabilities';

/** One run and everything that travels with it into the runs it causes. */
export interface Run extends Reach {
  readonly keys: Keys;
  readonly sandbox: Sandbox;
  readonly journal: Journal;
  readonly recordings: Recordings;
  /** What must not be kept of a run, wherever it stands. */
  readonly secrets: readonly string[];
  /** Writes down the calls of this run, or answers them. */
  readonly tape?: Tape | undefined;
  readonly log: Log;
  readonly call: CallContext;
  readonly limits: Limits;
  /** The time that the outermost run has, and with it all that it calls. */
  readonly patience: Patience;
  /** The capabilities that are running, outermost first. */
  readonly chain: readonly Callable[];
  /** The tools and capabilities that were called, in order. */
  readonly used: Map<string, Target>;
  /** What the code wrote to the console. A nested run has its own, else an answer would hold the logs of them all. */
  readonly logs: LogLine[];
  /** How large a result may be that goes back to whoever asked. What stays between runs is bounded by their limits. */
  readonly resultBytes: number;
}

/** Runs code in a sandbox of its own. Its names have been looked at before: `known` holds what they stand for. */
export async function runCode(
  run: Run,
  source: string | FunctionBody,
  args: unknown,
  known: ReadonlyMap<string, Target> = new Map(),
): Promise<Outcome> {
  for (const target of known.values()) {
    if (target.kind === 'capability') await assertFresh(run, target.capability);
  }
  const { before, code, after } = typeof source === 'string' ? await onCode('body', source) : source;
  const outcome = await run.sandbox.run(
    before + code + after,
    args,
    (path, given, signal) => callByName(run, path.join(':'), given, signal, known),
    run.limits,
    { signal: run.call.signal, patience: run.patience, depth: run.chain.length },
  );
  run.logs.push(...outcome.logs);
  if (outcome.ok) return outcome.bytes > run.resultBytes ? tooLarge(outcome, run.resultBytes) : outcome;
  // What stands before the caller's first line is not the caller's.
  if (outcome.line !== 1 || outcome.column === undefined) return outcome;
  return { ...outcome, column: Math.max(1, outcome.column - before.length) };
}

function tooLarge({ logs, calls, ms, bytes }: Outcome & { ok: true }, limit: number): Outcome {
  const message = `The result has ${bytes} bytes and the limit is ${limit}: return less of it, or raise options.max_result_bytes.`;
  return { ok: false, kind: 'limit', message, logs, calls, ms };
}

/** Runs a capability with arguments over its defaults. */
export async function runCapability(run: Run, capability: Callable, given: unknown): Promise<unknown> {
  // An older version of itself is other code.
  const cycle = run.chain.findIndex(
    ({ fqdn, version }) => fqdn === capability.fqdn && version === capability.version,
  );
  const chain = [...run.chain, capability];
  if (cycle !== -1) {
    const names = chain.slice(cycle).map(({ name }) => name);
    throw new PmlError('capability_cycle', `Capabilities call each other in a circle: ${names.join(' → ')}`);
  }
  if (chain.length > MAX_DEPTH) {
    const names = chain.map(({ name }) => name).join(' → ');
    throw new PmlError('code_limit', `Capabilities may call each other ${MAX_DEPTH} deep: ${names}`);
  }
  warnOfAlias(run.log, capability);
  // Nothing runs, so nothing is counted.
  await assertFresh(run, capability);
  const callee = { server: CAPABILITY_SERVER, tool: capability.name, fqdn: capability.fqdn };
  const act = async () => {
    const signed = await checked(run, run.who, capability);
    await assertFresh(run, signed);
    const args = argumentsFor(signed, given);
    const tape = mayRecord(run, signed) ? new Recorder() : undefined;
    const outcome = await runCode({ ...run, chain, tape }, signed.code, args);
    if (!outcome.ok) throw failureOf(outcome, capability.name);
    const made = tape?.recording(args, outcome.value);
    if (made) await run.recordings.keep(signed, made, run.secrets);
    return outcome.value;
  };
  return callOut(run.journal, run.who, callee, act, () => true);
}

/** Whoever may replay a recording sees what is in it, so only the maker's own runs are kept. */
export function mayRecord({ who, recordings }: Run, capability: Callable): boolean {
  return capability.createdBy === who.user && recordings.wants(capability);
}

const FAILURE_CODES = {
  syntax: 'syntax_error',
  exception: 'code_exception',
  timeout: 'code_timeout',
  memory: 'code_memory',
  limit: 'code_limit',
  denied: 'code_denied',
  cancelled: 'cancelled',
} as const;

/** A run that these ended in a capability it called has failed by them, too: of two that share a deadline, either is first. */
const PASSED_ON: readonly string[] = [
  'code_timeout',
  'code_memory',
  'code_limit',
  'cancelled',
  'capability_cycle',
  'capability_stale',
];

/** A failed run as an error that says where in whose code it failed. */
export function failureOf(outcome: Outcome & { ok: false }, name?: string): PmlError {
  const { kind, message, line, column } = outcome;
  const at = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  const where = name === undefined ? '' : `Capability "${name}" failed: `;
  const code = PASSED_ON.includes(outcome.code ?? '') ? (outcome.code as ErrorCode) : FAILURE_CODES[kind];
  return new PmlError(code, `${where}${message}${at}`);
}

async function callByName(
  run: Run,
  name: string,
  given: unknown,
  signal: AbortSignal,
  known: ReadonlyMap<string, Target>,
): Promise<unknown> {
  const target = known.get(name) ?? (await targetOf(run, name));
  if (!target) throw run.chain.length > 0 && isIdentity(name) ? notThere() : await unknownName(run, name);
  run.used.set(canonicalName(target), target);
  const act = () => callTarget({ ...run, call: { ...run.call, signal } }, target, given);
  return run.tape ? run.tape.call(canonicalName(target), given, act) : act();
}

async function callTarget(run: Run, target: Target, given: unknown): Promise<unknown> {
  if (target.kind === 'capability')
    return runCapability({ ...run, logs: [], resultBytes: Infinity }, target.capability, given);
  const { upstream, own } = target.entry;
  const params: Listed = { name: own, arguments: given ?? {} };
  const result = await callOut(
    run.journal,
    run.who,
    { server: upstream.name, tool: own },
    () => upstream.request('tools/call', params, run.call),
    ({ isError }) => !isError,
  );
  return plainValueOf(result);
}
