import { messageOf } from '../errors.ts';
import type { Json } from '../json.ts';
import { PausableDeadline } from '../pausable-deadline.ts';
import {
  assertMayChange,
  type Capability,
  canonicalJson,
  checked,
  markVerified,
  resolve,
  showNames,
  warnOfAlias,
} from '../registry/index.ts';
import type { RecordedCall, StoredRecording } from '../runs/index.ts';
import { argumentsFor } from './arguments.ts';
import { isLight, Player } from './recorder.ts';
import { MAX_NESTED, type Run, runCode } from './run.ts';

export interface Verification {
  verified: boolean;
  runs: { run: string; passed: boolean; differences: string[] }[];
  hint?: string;
}

/** More differences than these say no more than the first of them. */
const SHOWN = 10;
const SHOWN_LENGTH = 200;

/** Tries a capability on the recordings of its runs: the same calls, the same result, and nothing really called. */
export async function verifyCapability(run: Run, name: string): Promise<Verification> {
  const capability = await resolve(run.db, run.who, name);
  warnOfAlias(run.log, capability);
  // A recording shows what its run was given.
  assertMayChange(run.who, capability);
  const verification = await replayAndMark(run, await checked(run, run.who, capability));
  if (verification.runs.length > 0) return verification;
  return { ...verification, hint: 'None of its runs was recorded. Call it once, then verify it.' };
}

/** Replays every recording there is for this version, and notes whether all of them passed. */
export async function replayAndMark(run: Run, capability: Capability): Promise<Verification> {
  const runs: Verification['runs'] = [];
  for (const recording of await run.recordings.of(capability)) {
    const differences = await replay(run, capability, recording);
    const shown = differences.slice(0, SHOWN);
    runs.push({ run: recording.id, passed: differences.length === 0, differences: shown });
  }
  const verified = runs.length > 0 && runs.every(({ passed }) => passed);
  await markVerified(run.db, capability, verified);
  return { verified, runs };
}

/** In what the code differs from a recorded run. */
async function replay(run: Run, capability: Capability, recording: StoredRecording): Promise<string[]> {
  const clean = (value: Json) => run.redactor.json(value);
  const player = new Player(recording.calls, clean);
  const { taken, dropped } = fitting(capability, recording.args);
  let args: unknown;
  try {
    args = argumentsFor(capability, taken);
  } catch (error) {
    return [`It does not take the recorded arguments: ${messageOf(error)}`];
  }
  const own = {
    used: new Map(),
    logs: [],
    resultBytes: Infinity,
    patience: new PausableDeadline(run.limits.wallMs),
    nested: { left: MAX_NESTED },
  };
  const outcome = await runCode({ ...run, ...own, chain: [capability], tape: player }, capability.code, args);
  const named = (calls: readonly RecordedCall[]) => withNames(run, calls);
  const differences = [
    ...dropped.map((name) => `It does not take "${name}", as the recorded run did.`),
    ...(await named(player.added)).map((call) => `It calls ${call}, which the recorded run did not.`),
    ...(await named(player.missing)).map((call) => `It does not call ${call}, as the recorded run did.`),
  ];
  if (!outcome.ok) {
    // A call that nobody recorded has no answer: that it fails then says nothing more.
    const failure = player.added.length > 0 ? [] : [`It fails: ${brief(outcome.message)}`];
    return [...differences, ...failure];
  }
  const result = isLight(outcome.value) ? clean((outcome.value ?? null) as Json) : undefined;
  if (result !== undefined && canonicalJson(result) === canonicalJson(recording.result)) return differences;
  return [...differences, `It returns ${brief(result)} instead of ${brief(recording.result)}.`];
}

/** The recorded arguments that the code takes, and those it does not. */
function fitting({ parametersSchema }: Capability, recorded: Json): { taken: object; dropped: string[] } {
  const { properties = {}, additionalProperties } = parametersSchema;
  const entries = Object.entries(recorded as object);
  const isTaken = (name: string) =>
    additionalProperties !== false || Object.hasOwn(properties as object, name);
  const dropped = entries.map(([name]) => name).filter((name) => !isTaken(name));
  return { taken: Object.fromEntries(entries.filter(([name]) => isTaken(name))), dropped };
}

async function withNames(run: Run, calls: readonly RecordedCall[]): Promise<string[]> {
  const shown = calls.slice(0, SHOWN);
  const names = await showNames(
    run.db,
    run.who,
    shown.map(({ name }) => name),
  );
  return shown.map(({ args }, index) => `${names[index]} with ${brief(args)}`);
}

function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'more than can be compared');
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
