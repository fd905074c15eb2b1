import { type RunnableCode, runCodeTask } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { isTooDeep, MAX_JSON_NESTING } from '../../json-size.ts';
import type { Callable } from '../../registry/index.ts';
import { versionWarnings, warnOfAlias } from '../../registry/names/index.ts';
import { type Fault, journaledCall } from '../../runs/index.ts';
import { type Outcome, READ_PATH, RESULT_READ, type ToolNames } from '../../sandbox/index.ts';
import type { Answer } from '../cache/result-cache.ts';
import { failureOf } from '../failures/failure.ts';
import { isEvidence } from '../failures/failure-evidence.ts';
import { Recorder } from '../recording/recorder.ts';
import { refuseCycle, refuseDeepChain, refuseManyRuns } from '../run/call-chain.ts';
import { CallTrace } from '../run/call-trace.ts';
import {
  canonicalName,
  displayName,
  hiddenCapabilityError,
  isFqdnReference,
  type ResolvedName,
  resolveName,
  unknownNameError,
} from '../run/resolve-names.ts';
import { CAPABILITY_SERVER, mayRecord, ownerOf, type Run, usedOwnServer } from '../run/run.ts';
import { assertNotStale } from './assert-not-stale.ts';
import { capabilityDependency, toolDependency } from './callee-state.ts';
import { learnSecretsPassed } from './learn-secrets.ts';
import { nameAskingServer } from './name-asking-server.ts';
import { readKeptResult } from './read-kept-result.ts';
import { readRegistry } from './read-registry.ts';
import { runCached } from './run-cached.ts';
import { verifyWhileRunning } from './speculative-run.ts';
import { plainValueOf } from './tool-result.ts';

/** How many tools code can list. */
const MAX_LISTED_TOOLS = 5000;

/** How a run ended, and the calls that it made. */
export type RanCode = Outcome & { readonly trace: CallTrace };

/** Runs code in a sandbox of its own. `resolved` holds the names that were resolved before the run. */
export async function runCode(
  run: Run,
  source: string | RunnableCode,
  args: unknown,
  resolved: ReadonlyMap<string, ResolvedName> = new Map(),
): Promise<RanCode> {
  for (const one of resolved.values()) {
    if (one.kind === 'capability') await assertNotStale(run, one.capability);
  }
  const { before, code, after, listsTools } =
    typeof source === 'string' ? await runCodeTask('functionBody', source) : source;
  const trace = new CallTrace();
  const outcome = await run.sandbox.run(
    before + code + after,
    args,
    async (path, given, signal) => {
      // The run may end before it is confirmed.
      if (run.confirmed) await run.confirmed.then(() => signal.throwIfAborted());
      if (path[0] !== READ_PATH) return callByName(run, path.join(':'), given, signal, { resolved, trace });
      return path[1] === RESULT_READ ? readKeptResult(run, given) : readRegistry(run, path[1] ?? '', given);
    },
    run.limits,
    {
      signal: run.call.signal,
      deadline: run.deadline,
      depth: run.callChain.length,
      owner: ownerOf(run),
      onLog: run.onLog,
      ...(listsTools && { tools: toolNames(run) }),
    },
  );
  await run.confirmed;
  run.logs.push(...outcome.logs);
  if (outcome.ok) {
    if (outcome.lost)
      run.notes.push(`JSON cannot hold NaN and Infinity, so they became null: ${outcome.lost}.`);
    return { ...outcome, trace };
  }
  // Columns of the first line count from the caller's code, not from what was put before it.
  if (outcome.line !== 1 || outcome.column === undefined) return { ...outcome, trace };
  return { ...outcome, column: Math.max(1, outcome.column - before.length), trace };
}

/** The names of the tools that the caller may call, by server. */
function toolNames({ tools, dependencies }: Run): ToolNames {
  dependencies?.markUncacheable();
  const names: Record<string, string[]> = Object.create(null);
  for (const { upstream, own } of tools.entries.slice(0, MAX_LISTED_TOOLS)) {
    names[upstream.name] ??= [];
    names[upstream.name]?.push(own);
  }
  return names;
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
  refuseManyRuns(run);
  warnOfAlias(run.log, capability);
  // A refusal here is not journalled, since nothing has run.
  await assertNotStale(run, capability);
  const callee = { server: CAPABILITY_SERVER, tool: capability.name, fqdn: capability.fqdn };
  // True if the code started: a run that only waited for a sandbox is no evidence against its capability.
  let hasRun = false;
  let hasArguments = false;
  let isCached = false;
  const runStored = async (fresh: Run, stored: Callable, args: Record<string, unknown>) => {
    const recorder = mayRecord(run, stored) ? new Recorder() : undefined;
    const outcome = await runCode({ ...fresh, callChain, interceptor: recorder }, stored.code, args);
    hasRun = outcome.ok || outcome.ms > 0;
    if (!outcome.ok) {
      const { trace } = outcome;
      throw await failureOf(run, { outcome, trace, code: stored.code, capability });
    }
    const recording = recorder?.recording(args, outcome.value);
    if (recording) await run.recordings.keep(stored, recording, run.redactor);
    if (!usedOwnServer(run)) run.outputs.note(stored, run.who, outcome.value);
    return outcome;
  };
  const act = async () => {
    const { stored, args, result } = await verifyWhileRunning(run, capability, given, runStored);
    if (spelling !== undefined) run.dependencies?.note(capabilityDependency(spelling, stored));
    hasArguments = true;
    isCached = true;
    return runCached(run, stored, args, (fresh) => {
      isCached = false;
      return result ?? runStored(fresh, stored, args);
    });
  };
  const faultOf = (error: unknown): Fault => {
    if (!hasArguments && error instanceof PmlError && error.code === 'invalid_arguments') return 'arguments';
    return hasRun && isEvidence(run, capability, error) ? 'callee' : 'caller';
  };
  return journaledCall(
    run,
    callee,
    act,
    () => true,
    faultOf,
    () => isCached,
  );
}

async function callByName(
  run: Run,
  name: string,
  given: unknown,
  signal: AbortSignal,
  { resolved, trace }: { resolved: ReadonlyMap<string, ResolvedName>; trace: CallTrace },
): Promise<unknown> {
  const callee = resolved.get(name) ?? (await resolveName(run, name));
  if (!callee) {
    run.dependencies?.markUncacheable();
    throw run.callChain.length > 0 && isFqdnReference(name)
      ? hiddenCapabilityError()
      : await unknownNameError(run, name);
  }
  run.called.set(canonicalName(callee), callee);
  if (callee.kind === 'capability') noteOnce(run, versionWarnings(callee.capability));
  learnSecretsPassed(run, callee, given);
  const act = () => {
    const onprogress = run.progress?.began(displayName(callee));
    const call = { ...run.call, signal, ...(onprogress && { onprogress }) };
    const place = { id: run.place.id, depth: run.place.depth + 1 };
    return callResolved({ ...run, call, place }, name, callee, given);
  };
  const { interceptor } = run;
  try {
    const result = await trace.follow({ callee, given, signal }, () =>
      interceptor ? interceptor.call(canonicalName(callee), given, act) : act(),
    );
    run.redactor.learnGiven(result, displayName(callee));
    return result;
  } catch (error) {
    // Code may catch the error and return another result, which holds only while the call fails.
    run.dependencies?.markUncacheable();
    throw error;
  }
}

function noteOnce({ notes }: Run, warnings: readonly string[]): void {
  for (const warning of warnings) if (!notes.includes(warning)) notes.push(warning);
}

async function callResolved(run: Run, name: string, callee: ResolvedName, given: unknown): Promise<unknown> {
  if (callee.kind === 'capability') {
    const nested = { ...run, logs: [], onLog: undefined, notes: [] };
    return (await runCapability(nested, callee.capability, given, name)).value;
  }
  const { upstream, own } = callee.entry;
  run.dependencies?.note(toolDependency(run, name, callee.entry));
  const params: JsonObject = { name: own, arguments: given ?? {} };
  const result = await journaledCall(
    run,
    { server: upstream.name, tool: own },
    () => upstream.request('tools/call', params, nameAskingServer(run.call, upstream.name)),
    ({ isError }) => !isError,
  );
  const value = plainValueOf(result);
  if (!isTooDeep(value)) {
    const tool = { server: upstream.name, tool: own, listed: callee.entry.listed };
    if (!upstream.server.ofAgent) run.outputs.tools.note(run.who, tool, run.redactor, () => value);
    return value;
  }
  throw new PmlError(
    'tool_failed',
    `The answer of ${upstream.name}:${own} is nested too deeply: code can receive ${MAX_JSON_NESTING} levels.`,
  );
}
