import { type FunctionBody, runCodeTask } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { isTooDeep, MAX_JSON_NESTING } from '../../measure.ts';
import { type Callable, verifySignature } from '../../registry/index.ts';
import { warnOfAlias } from '../../registry/names/index.ts';
import { journaledCall } from '../../runs/index.ts';
import { type Outcome, READ_PATH } from '../../sandbox/index.ts';
import type { Answer } from '../cache/result-cache.ts';
import { Recorder } from '../recording/recorder.ts';
import { argumentsFor } from './arguments.ts';
import { assertNotStale } from './assert-not-stale.ts';
import { capabilityDependency, toolDependency } from './callee-state.ts';
import { isEvidence } from './evidence.ts';
import { failureOf, redactForOthers } from './failure.ts';
import { learnSecretsPassed } from './learn-secrets.ts';
import { readRegistry } from './read-registry.ts';
import {
  canonicalName,
  displayName,
  hiddenCapabilityError,
  isFqdnReference,
  type ResolvedName,
  resolveName,
  unknownNameError,
} from './resolve-names.ts';
import {
  CAPABILITY_SERVER,
  MAX_DEPTH,
  MAX_NESTED_RUNS,
  MAX_RESULT_BYTES,
  mayRecord,
  ownerOf,
  type Run,
} from './run.ts';
import { runCached } from './run-cached.ts';
import { plainValueOf } from './tool-result.ts';

/** Runs code in a sandbox of its own. `resolved` holds the names that were resolved before the run. */
export async function runCode(
  run: Run,
  source: string | FunctionBody,
  args: unknown,
  resolved: ReadonlyMap<string, ResolvedName> = new Map(),
): Promise<Outcome> {
  for (const one of resolved.values()) {
    if (one.kind === 'capability') await assertNotStale(run, one.capability);
  }
  const { before, code, after } =
    typeof source === 'string' ? await runCodeTask('functionBody', source) : source;
  const outcome = await run.sandbox.run(
    before + code + after,
    args,
    (path, given, signal) =>
      path[0] === READ_PATH && path[1] !== undefined
        ? readRegistry(run, path[1], given)
        : callByName(run, path.join(':'), given, signal, resolved),
    run.limits,
    {
      signal: run.call.signal,
      deadline: run.deadline,
      depth: run.callChain.length,
      owner: ownerOf(run),
    },
  );
  run.logs.push(...outcome.logs);
  if (outcome.ok) return outcome.bytes > run.resultBytes ? tooLarge(outcome, run.resultBytes) : outcome;
  // Columns of the first line count from the caller's code, not from what was put before it.
  if (outcome.line !== 1 || outcome.column === undefined) return outcome;
  return { ...outcome, column: Math.max(1, outcome.column - before.length) };
}

function tooLarge(
  { logs, calls, ms, bytes }: Pick<Outcome & { ok: true }, 'logs' | 'calls' | 'ms' | 'bytes'>,
  limit: number,
): Outcome & { ok: false } {
  const isHighestLimit = limit >= MAX_RESULT_BYTES;
  const remedy = isHighestLimit
    ? 'return less of it'
    : 'return less of it, or raise options.max_result_bytes';
  const message = `The result has ${bytes} bytes and the limit is ${limit}: ${remedy}.`;
  return { ok: false, kind: 'limit', message, logs, calls, ms };
}

/**
 * Runs a capability, or answers from its cache. Its schema's defaults fill in the arguments that are not given. `spelling` is
 * the name by which code called it.
 */
export async function runCapability(
  run: Run,
  capability: Callable,
  given: unknown,
  spelling?: string,
): Promise<Answer> {
  const callChain = [...run.callChain, capability];
  // Learned also here, since a client may call the capability as a tool.
  if (run.callChain.length === 0) learnSecretsPassed(run, { kind: 'capability', capability }, given);
  refuseCycle(run.callChain, capability);
  refuseDeepChain(callChain);
  countNestedRun(run);
  warnOfAlias(run.log, capability);
  // A refusal here is not journalled, since nothing has run.
  await assertNotStale(run, capability);
  const callee = { server: CAPABILITY_SERVER, tool: capability.name, fqdn: capability.fqdn };
  // False while the run waits for a sandbox, which others may keep busy.
  let hasRun = false;
  let isCached = false;
  const act = async () => {
    const signed = await verifySignature(run, run.who, capability);
    await assertNotStale(run, signed);
    if (spelling !== undefined) run.dependencies?.note(capabilityDependency(spelling, signed));
    const args = argumentsFor(signed, given, run.who);
    isCached = true;
    const answer = await runCached(run, signed, args, async (fresh) => {
      isCached = false;
      const recorder = mayRecord(run, signed) ? new Recorder() : undefined;
      const outcome = await runCode({ ...fresh, callChain, interceptor: recorder }, signed.code, args);
      hasRun = outcome.ok || outcome.ms > 0;
      if (!outcome.ok) throw redactForOthers(run.who, capability, failureOf(outcome, capability.name));
      const recording = recorder?.recording(args, outcome.value);
      if (recording) await run.recordings.keep(signed, recording, run.redactor);
      run.outputs.note(signed, run.who, outcome.value);
      return outcome;
    });
    if (answer.bytes <= run.resultBytes) return answer;
    // The result of another call, which may have allowed more.
    const { bytes } = answer;
    throw failureOf(tooLarge({ logs: [], calls: 0, ms: 0, bytes }, run.resultBytes), capability.name);
  };
  const isByCaller = (error: unknown) => !hasRun || !isEvidence(run, capability, error);
  return journaledCall(
    run,
    callee,
    act,
    () => true,
    isByCaller,
    () => isCached,
  );
}

function refuseCycle(callers: readonly Callable[], { fqdn, version, name }: Callable): void {
  // Another version of a capability is other code, so calling it is no cycle.
  const start = callers.findIndex((caller) => caller.fqdn === fqdn && caller.version === version);
  if (start === -1) return;
  const names = [...callers.slice(start).map((caller) => caller.name), name];
  throw new PmlError('capability_cycle', `Capabilities call each other in a circle: ${names.join(' → ')}`);
}

function refuseDeepChain(callChain: readonly Callable[]): void {
  if (callChain.length <= MAX_DEPTH) return;
  const names = callChain.map(({ name }) => name).join(' → ');
  throw new PmlError('code_limit', `Capabilities may call each other ${MAX_DEPTH} deep: ${names}`);
}

function countNestedRun({ nestedRuns }: Run): void {
  nestedRuns.remaining -= 1;
  if (nestedRuns.remaining >= 0) return;
  throw new PmlError(
    'code_limit',
    `One run may call capabilities ${MAX_NESTED_RUNS} times, at all depths together.`,
    { hint: 'Call fewer of them, or hand each more of the work.' },
  );
}

async function callByName(
  run: Run,
  name: string,
  given: unknown,
  signal: AbortSignal,
  resolved: ReadonlyMap<string, ResolvedName>,
): Promise<unknown> {
  const callee = resolved.get(name) ?? (await resolveName(run, name));
  if (!callee) {
    run.dependencies?.spoil();
    throw run.callChain.length > 0 && isFqdnReference(name)
      ? hiddenCapabilityError()
      : await unknownNameError(run, name);
  }
  run.called.set(canonicalName(callee), callee);
  learnSecretsPassed(run, callee, given);
  const act = () => callResolved({ ...run, call: { ...run.call, signal } }, name, callee, given);
  const { interceptor } = run;
  try {
    const result = await (interceptor ? interceptor.call(canonicalName(callee), given, act) : act());
    run.redactor.learnGiven(result, displayName(callee));
    return result;
  } catch (error) {
    // Code may catch the error and return another result, which holds only while the call fails.
    run.dependencies?.spoil();
    throw error;
  }
}

async function callResolved(run: Run, name: string, callee: ResolvedName, given: unknown): Promise<unknown> {
  if (callee.kind === 'capability') {
    const nested = { ...run, logs: [], resultBytes: Infinity };
    return (await runCapability(nested, callee.capability, given, name)).value;
  }
  const { upstream, own } = callee.entry;
  run.dependencies?.note(toolDependency(run, name, callee.entry));
  const params: JsonObject = { name: own, arguments: given ?? {} };
  const result = await journaledCall(
    run,
    { server: upstream.name, tool: own },
    () => upstream.request('tools/call', params, run.call),
    ({ isError }) => !isError,
  );
  const value = plainValueOf(result);
  if (!isTooDeep(value)) {
    const { listed } = callee.entry;
    run.outputs.tools.note(run.who, { server: upstream.name, tool: own, listed }, run.redactor, () => value);
    return value;
  }
  throw new PmlError(
    'tool_failed',
    `The answer of ${upstream.name}:${own} is nested too deeply: code can receive ${MAX_JSON_NESTING} levels.`,
  );
}
