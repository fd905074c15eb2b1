import { type FunctionBody, runCodeTask } from '../code/index.ts';
import { type ErrorCode, PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Log } from '../log.ts';
import { isTooDeep, MAX_JSON_NESTING } from '../measure.ts';
import type { PausableDeadline } from '../pausable-deadline.ts';
import { type Callable, checked, type Keys, warnOfAlias } from '../registry/index.ts';
import type { Journal, Recordings } from '../runs/index.ts';
import { callOut, plainValueOf } from '../runs/timed-call.ts';
import type { Limits, LogLine, Outcome, Sandbox, Share } from '../sandbox/index.ts';
import { hideSecrets, type Redactor } from '../secrets/index.ts';
import type { CallContext } from '../upstream/index.ts';
import { argumentsFor } from './arguments.ts';
import { assertNotStale } from './assert-not-stale.ts';
import { isEvidence } from './evidence.ts';
import { Recorder, type Tape } from './recorder.ts';
import {
  canonicalName,
  isIdentity,
  notThere,
  type Reach,
  type Target,
  targetOf,
  unknownName,
} from './resolve-names.ts';

/** How deep capabilities may call each other. */
const MAX_DEPTH = 8;
/** How many runs of capabilities one run may cause, at all depths together. */
export const MAX_NESTED = 1_000;
/**
 * The most that a result may be allowed to have. An answer holds it twice, the second time with its quotes escaped, and
 * clients on stdio close the connection at a line of 10 MiB.
 */
export const MAX_RESULT_BYTES = 3_000_000;
export const CAPABILITY_SERVER = 'pml-capabilities';

/** One run and everything that travels with it into the runs it causes. */
export interface Run extends Reach {
  readonly keys: Keys;
  readonly sandbox: Sandbox;
  readonly journal: Journal;
  readonly recordings: Recordings;
  /** Hides what must not be kept of this run: the secrets of the config, and those that pass through it. */
  readonly redactor: Redactor;
  /** Writes down the calls of this run, or answers them. */
  readonly tape?: Tape | undefined;
  readonly log: Log;
  readonly call: CallContext;
  readonly limits: Limits;
  /** The time that the outermost run has, and with it all that it calls. */
  readonly patience: PausableDeadline;
  /** The runs of capabilities that the outermost run may still cause. */
  readonly nested: { left: number };
  /** The capabilities that are running, outermost first. */
  readonly chain: readonly Callable[];
  /** The tools and capabilities that were called, in order. */
  readonly used: Map<string, Target>;
  /** What the code wrote to the console. A nested run has its own, else an answer would hold the logs of them all. */
  readonly logs: LogLine[];
  /** How large a result may be that goes back to whoever asked. What stays between runs is bounded by their limits. */
  readonly resultBytes: number;
  /** Its caller allowed less time, or a smaller result, than the settings do. */
  readonly isTightened: boolean;
}

/** Runs code in a sandbox of its own. Its names have been looked at before: `known` holds what they stand for. */
export async function runCode(
  run: Run,
  source: string | FunctionBody,
  args: unknown,
  known: ReadonlyMap<string, Target> = new Map(),
): Promise<Outcome> {
  for (const target of known.values()) {
    if (target.kind === 'capability') await assertNotStale(run, target.capability);
  }
  const { before, code, after } =
    typeof source === 'string' ? await runCodeTask('functionBody', source) : source;
  const outcome = await run.sandbox.run(
    before + code + after,
    args,
    (path, given, signal) => callByName(run, path.join(':'), given, signal, known),
    run.limits,
    { signal: run.call.signal, patience: run.patience, depth: run.chain.length, share: shareOf(run) },
  );
  run.logs.push(...outcome.logs);
  if (outcome.ok) return outcome.bytes > run.resultBytes ? tooLarge(outcome, run.resultBytes) : outcome;
  // What stands before the caller's first line is not the caller's.
  if (outcome.line !== 1 || outcome.column === undefined) return outcome;
  return { ...outcome, column: Math.max(1, outcome.column - before.length) };
}

/** Who shares the sandbox: people, whichever project they are in, and then their sessions. */
export function shareOf({ who, call }: Run): Share {
  return { principal: JSON.stringify([who.org, who.user]), session: call.session };
}

function tooLarge({ logs, calls, ms, bytes }: Outcome & { ok: true }, limit: number): Outcome {
  const isMost = limit >= MAX_RESULT_BYTES;
  const remedy = isMost ? 'return less of it' : 'return less of it, or raise options.max_result_bytes';
  const message = `The result has ${bytes} bytes and the limit is ${limit}: ${remedy}.`;
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
  run.nested.left -= 1;
  if (run.nested.left < 0) {
    throw new PmlError(
      'code_limit',
      `One run may call capabilities ${MAX_NESTED} times, at all depths together.`,
      {
        hint: 'Call fewer of them, or hand each more of the work.',
      },
    );
  }
  warnOfAlias(run.log, capability);
  // Nothing runs, so nothing is counted.
  await assertNotStale(run, capability);
  const callee = { server: CAPABILITY_SERVER, tool: capability.name, fqdn: capability.fqdn };
  // False while it waits for a sandbox, which others may keep busy.
  let hasRun = false;
  const act = async () => {
    const signed = await checked(run, run.who, capability);
    await assertNotStale(run, signed);
    const args = argumentsFor(signed, given);
    const tape = mayRecord(run, signed) ? new Recorder() : undefined;
    const outcome = await runCode({ ...run, chain, tape }, signed.code, args);
    hasRun = outcome.ok || outcome.ms > 0;
    if (!outcome.ok) throw shownTo(run, capability, failureOf(outcome, capability.name));
    const made = tape?.recording(args, outcome.value);
    if (made) await run.recordings.keep(signed, made, run.redactor);
    return outcome.value;
  };
  const isByCaller = (error: unknown) => !hasRun || !isEvidence(run, capability, error);
  return callOut(run, callee, act, () => true, isByCaller);
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

/** A failure may quote what the maker of the code wrote into it, which is not for others. */
function shownTo({ who }: Run, { createdBy }: Callable, failure: PmlError): PmlError {
  if (createdBy === who.user) return failure;
  return new PmlError(failure.code, hideSecrets(failure.message));
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
  run.redactor.learn(given);
  const act = async () => {
    const result = await callTarget({ ...run, call: { ...run.call, signal } }, target, given);
    run.redactor.learn(result);
    return result;
  };
  return run.tape ? run.tape.call(canonicalName(target), given, act) : act();
}

async function callTarget(run: Run, target: Target, given: unknown): Promise<unknown> {
  if (target.kind === 'capability')
    return runCapability({ ...run, logs: [], resultBytes: Infinity }, target.capability, given);
  const { upstream, own } = target.entry;
  const params: JsonObject = { name: own, arguments: given ?? {} };
  const result = await callOut(
    run,
    { server: upstream.name, tool: own },
    () => upstream.request('tools/call', params, run.call),
    ({ isError }) => !isError,
  );
  const value = plainValueOf(result);
  if (!isTooDeep(value)) return value;
  throw new PmlError(
    'tool_failed',
    `The answer of ${upstream.name}:${own} is nested too deeply: code can be given ${MAX_JSON_NESTING} levels.`,
  );
}
