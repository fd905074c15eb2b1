import { canonicalJson } from '../../canonical-json.ts';
import { messageOf } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { PausableDeadline } from '../../pausable-deadline.ts';
import {
  assertMayChange,
  type Capability,
  displayNames,
  markVerified,
  resolve,
  verifySignature,
} from '../../registry/index.ts';
import { versionWarnings, warnOfAlias } from '../../registry/names/index.ts';
import type { RecordedCall, Recording } from '../../runs/index.ts';
import { argumentsFor } from '../arguments/validate-arguments.ts';
import { runCode } from '../calls/run-code.ts';
import { acceptingHidden } from '../recording/hidden-arguments.ts';
import { isRecordable } from '../recording/recording-size.ts';
import { Replay } from '../recording/replay.ts';
import { MAX_NESTED_RUNS, type Run } from '../run/run.ts';
import { replayableRecordings } from './replayable.ts';

export interface Verification {
  verified: boolean;
  runs: { run: string; passed: boolean; differences: string[] }[];
  hint?: string;
  warnings?: string[];
}

/** Further differences add nothing to the first ones. */
const MAX_DIFFERENCES = 10;
const MAX_VALUE_LENGTH = 200;

/** Replays the recorded runs of a capability: it must make the same calls and return the same. Nothing is really called. */
export async function verifyCapability(run: Run, name: string): Promise<Verification> {
  const capability = await resolve(run.db, run.who, name);
  warnOfAlias(run.log, capability);
  // A recording shows the arguments of its run, so only those who may change the capability may replay it.
  assertMayChange(run.who, capability);
  const warnings = versionWarnings(capability);
  const verification = {
    ...(await replayAndMark(run, await verifySignature(run, run.who, capability))),
    ...(warnings.length > 0 && { warnings }),
  };
  if (verification.runs.length > 0) return verification;
  return { ...verification, hint: 'None of its runs was recorded. Call it once, then verify it.' };
}

/** Replays the recordings of this version that the caller may replay, and marks the version as verified if all pass. */
export async function replayAndMark(run: Run, capability: Capability): Promise<Verification> {
  const runs: Verification['runs'] = [];
  const { recordings, isAll } = await replayableRecordings(run, capability);
  for (const recording of recordings) {
    const replayed = { ...run, callChain: [capability] };
    const differences = await differencesFrom(recording, replayed, capability);
    const shown = differences.slice(0, MAX_DIFFERENCES);
    runs.push({ run: recording.id, passed: differences.length === 0, differences: shown });
  }
  const verified = runs.length > 0 && runs.every(({ passed }) => passed);
  // A caller that may replay only some of the recordings cannot verify the version.
  if (isAll) await markVerified(run.db, capability, verified);
  return { verified, runs };
}

type ReplayedCode = Pick<Capability, 'name' | 'fqdn' | 'version' | 'code' | 'parametersSchema'>;

/** Runs the code against one recording and says how it differs. */
export async function differencesFrom(
  recording: Recording,
  run: Run,
  capability: ReplayedCode,
): Promise<string[]> {
  const redact = (value: Json) => run.redactor.json(value);
  const replay = new Replay(recording.calls, redact);
  const { accepted, rejected } = splitArguments(capability, recording.args);
  let args: unknown;
  try {
    args = argumentsFor(acceptingHidden(capability, accepted), accepted);
  } catch (error) {
    return [`It does not take the recorded arguments: ${messageOf(error)}`];
  }
  const replayed: Run = {
    ...run,
    called: new Map(),
    logs: [],
    onLog: undefined,
    notes: [],
    deadline: new PausableDeadline(run.limits.wallMs),
    nestedRuns: { remaining: MAX_NESTED_RUNS },
    interceptor: replay,
  };
  const outcome = await runCode(replayed, capability.code, args);
  const shown = (calls: readonly RecordedCall[]) => showCalls(run, calls);
  const differences = [
    ...rejected.map((name) => `It does not take "${name}", as the recorded run did.`),
    ...(await shown(replay.added)).map((call) => `It calls ${call}, which the recorded run did not.`),
    ...(await shown(replay.missing)).map((call) => `It does not call ${call}, as the recorded run did.`),
  ];
  if (!outcome.ok) {
    // A call that was not recorded has no answer, so the failure that follows says nothing more.
    const failure = replay.added.length > 0 ? [] : [`It fails: ${brief(outcome.message)}`];
    return [...differences, ...failure];
  }
  const result = isRecordable(outcome.value) ? redact((outcome.value ?? null) as Json) : undefined;
  if (result !== undefined && canonicalJson(result) === canonicalJson(recording.result)) return differences;
  return [...differences, `It returns ${brief(result)} instead of ${brief(recording.result)}.`];
}

/** Splits recorded arguments into those that the code takes and the names of those it does not. */
function splitArguments(
  { parametersSchema }: ReplayedCode,
  recorded: Json,
): { accepted: object; rejected: string[] } {
  const { properties = {}, additionalProperties } = parametersSchema;
  const entries = Object.entries(recorded as object);
  const isAccepted = (name: string) =>
    additionalProperties !== false || Object.hasOwn(properties as object, name);
  const rejected = entries.map(([name]) => name).filter((name) => !isAccepted(name));
  return { accepted: Object.fromEntries(entries.filter(([name]) => isAccepted(name))), rejected };
}

async function showCalls(run: Run, calls: readonly RecordedCall[]): Promise<string[]> {
  const shown = calls.slice(0, MAX_DIFFERENCES);
  const names = await displayNames(
    run.db,
    run.who,
    shown.map(({ name }) => name),
  );
  return shown.map(({ args }, index) => `${names[index]} with ${brief(args)}`);
}

function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'more than can be compared');
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
