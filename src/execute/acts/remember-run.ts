import { READS_KEPT_RESULT, type RunnableCode, runCodeTask, widenSchema } from '../../code/index.ts';
import { messageOf, PmlError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { userOf, usesCapabilities } from '../../principal.ts';
import { widenParameters } from '../../registry/curation/index.ts';
import { type Callable, remember, rememberCompared, rename } from '../../registry/index.ts';
import { maySeeRecord } from '../../registry/names/index.ts';
import { noteTwins } from '../../registry/procedures/index.ts';
import type { Recording } from '../../runs/index.ts';
import { HIDDEN } from '../../secrets/index.ts';
import { assertNoSecret } from '../../stored-texts.ts';
import { CallReads } from '../recognition/call-reads.ts';
import { bodyOf } from '../recognition/candidates.ts';
import { type Recognised, type ReplayVerdict, replayRun } from '../recognition/recognise.ts';
import { inTime, type ReplayableRun, replayDeadline } from '../recognition/replay-programs.ts';
import { canonicalName, type ResolvedName } from '../run/resolve-names.ts';
import { ownerOf, type Run } from '../run/run.ts';
import type { AnswerDetails } from './answer.ts';
import { compareAgain } from './compare-again.ts';
import { type LearnedRun, learnFromRun } from './learn.ts';
import { pointOutUnnamed } from './point-out-unnamed.ts';
import { readOnlyCallees } from './read-only-callees.ts';
import { sayRemembered } from './say-remembered.ts';
import { sayKnown, warnOfNearDuplicates } from './warn-of-near-duplicates.ts';
import { widenToRun } from './widen.ts';
import { whyNotKeep } from './worth-keeping.ts';

/** A run of sent code that succeeded. */
export interface SucceededRun {
  readonly intent: string;
  readonly name?: string | undefined;
  readonly args?: Record<string, unknown> | undefined;
  readonly code: string;
  readonly body: RunnableCode;
  readonly resolved: ReadonlyMap<string, ResolvedName>;
  readonly value: unknown;
  /** Its calls; undefined if they are too many or too large. */
  readonly recording: Recording | undefined;
}

/** A capability that is remembered, as its callers know it. */
interface Kept {
  readonly capability: Callable;
  readonly created: boolean;
  readonly warnings: readonly string[];
  /** The arguments with which the capability does what the run did. */
  readonly ownArguments: Readonly<Record<string, Json>>;
  /** True if a replay showed that it does the same, in whatever way the code is written. */
  readonly isRecognised?: boolean;
}

export interface Remembered extends AnswerDetails {
  /** The capability that the code became or was. An agent is told of it, as `capability`, only if it may use it. */
  kept?: Callable;
  /** The arguments with which it does what the run did; secrets are hidden. */
  ownArguments?: Readonly<Record<string, Json>>;
}

/** Code that others remember at the same time is looked at again this often. */
const MAX_TRIES = 3;

/** Remembers the code for the user. An agent hears of it only as far as it may use capabilities. */
export async function rememberRun(run: Run, made: SucceededRun): Promise<Remembered> {
  // The run has had its effects, so its result must reach the caller even if the code cannot be remembered.
  try {
    const remembered = await run.learning.run(ownerOf(run).principal, () => rememberForUser(run, made));
    return usesCapabilities(run.who) ? remembered : { ...remembered, warnings: [] };
  } catch (error) {
    if (!(error instanceof PmlError)) run.log.error(`cannot remember a run: ${(error as Error).stack}`);
    return { warnings: [`This code was not remembered: ${messageOf(error)}`] };
  }
}

async function rememberForUser(run: Run, made: SucceededRun): Promise<Remembered> {
  const { code, name, value } = made;
  if (run.resultReads.count > 0) return notRemembered(READS_KEPT_RESULT);
  const reason = await whyNotKeep(code, { value, name, called: run.called.values() });
  if (reason !== undefined) return { warnings: [reason] };
  const learned = await learnFrom(run, made);
  if ('unsafe' in learned) return notRemembered(learned.unsafe);
  // Checked again: the run has shown which values are secret.
  if (name !== undefined) assertNoSecret('The name', name, run.redactor);
  const kept = (await findKnownCode(run, made, learned)) ?? (await keep(run, made, learned));
  return 'unsafe' in kept ? notRemembered(kept.unsafe) : describeKept(run, made, learned, kept);
}

function notRemembered(why: string): Remembered {
  return { warnings: [`This code was not remembered. ${why}.`] };
}

function learnFrom(
  run: Run,
  { code, resolved, intent, name, args, recording }: SucceededRun,
  isPlain = false,
) {
  const options = { intent, name, args, redactor: run.redactor, isPlain, passed: recording?.calls };
  return learnFromRun(run, code, resolved, options);
}

/** Finds a capability that has the same code; undefined also if the code brings a name or verdicts to store. */
async function findKnownCode(run: Run, made: SucceededRun, learned: LearnedRun): Promise<Kept | undefined> {
  if (learned.name !== undefined || learned.verdicts?.length) return undefined;
  const known = await run.names.findCode(userOf(run.who), learned.codeHash);
  if (!known) return undefined;
  // The type of a lifted literal is that of the literal, whatever else was passed.
  const given = made.args as Record<string, Json> | undefined;
  const capability = learned.isLifted ? known : await widened(run, known, given);
  return { capability, created: false, warnings: [], ownArguments: ownOf(made, learned) };
}

/** The capability, which from now on takes arguments of the types with which its owner ran the same code. */
async function widened(run: Run, known: Callable, args: Record<string, Json> = {}): Promise<Callable> {
  const { createdBy, fqdn, parametersSchema } = known;
  const isWide = widenSchema(parametersSchema, args) === parametersSchema;
  if (isWide || createdBy !== run.who.user || run.who.grants) return known;
  return widenParameters(run, userOf(run.who), fqdn, args);
}

/** The arguments of the run, and those that its literals would be. */
function ownOf(
  { args }: SucceededRun,
  { liftedArguments }: Pick<LearnedRun, 'liftedArguments'>,
): Record<string, Json> {
  return { ...liftedArguments, ...(args as Record<string, Json> | undefined) };
}

/** Replays the code, and keeps it unless a capability does the same. */
async function keep(run: Run, made: SucceededRun, learned: LearnedRun): Promise<Kept | { unsafe: string }> {
  const sought = await replayableRun(run, made, learned);
  for (let tries = 1; ; tries += 1) {
    const replayable = sought && { ...sought, until: replayDeadline() };
    const verdict = replayable && (await judge(run, replayable, learned));
    const known = verdict?.recognised && (await underName(run, learned, verdict.recognised));
    if (known) return recognisedAs(known);
    const kept = await faithful(run, made, learned, verdict);
    if ('unsafe' in kept) return kept;
    const stored = await store(run, kept, verdict, tries);
    if (!stored) continue;
    const { capability, created } = stored;
    if (created && verdict?.isUndecided && sought && kept.name === undefined)
      run.afterwards.add(ownerOf(run).principal, () =>
        compareAgain(run, sought, capability, kept.isLifted === true),
      );
    else if (created && verdict?.recognised)
      await noteTwins(run.db, { kept: verdict.recognised.capability, twin: capability });
    return { ...stored, ownArguments: ownOf(made, kept) };
  }
}

/** The capability, under the name that the run gave: one without a name takes it. Undefined if it keeps another. */
async function underName(
  run: Run,
  { name, isLifted }: LearnedRun,
  known: Recognised,
): Promise<Recognised | undefined> {
  if (name === undefined) return known;
  const { capability, args } = known;
  // The parameters that an author chose are those of the named capability.
  const mayTake = isLifted && !capability.named && capability.createdBy === run.who.user && !run.who.grants;
  if (!mayTake) return undefined;
  try {
    const named = { newName: name, expectedName: capability.name };
    return { capability: await rename(run, userOf(run.who), capability.fqdn, named), args };
  } catch (error) {
    if (error instanceof PmlError) return undefined;
    throw error;
  }
}

/** Stores what was learned; undefined if there are capabilities meanwhile with which it was not compared. */
function store(run: Run, kept: LearnedRun, verdict: ReplayVerdict | undefined, tries: number) {
  const user = userOf(run.who);
  const learned = { ...kept, verified: verdict?.isFaithful === true };
  if (!verdict?.compared || verdict.isUndecided || tries >= MAX_TRIES)
    return remember(run, user, learned, run.who);
  return rememberCompared(run, user, learned, run.who, verdict.seen);
}

/** Replays the run, and finds the capability that does the same, if need be after it got further parameters. */
async function judge(run: Run, made: ReplayableRun, { isLifted, name }: LearnedRun): Promise<ReplayVerdict> {
  const verdict = await replayRun(run, made);
  const { recognised, compared, isUndecided } = verdict;
  if (recognised || !compared || isUndecided || !isLifted || name !== undefined) return verdict;
  const wider = await inTime(widenToRun(run, made, compared));
  return wider === 'late' ? { ...verdict, isUndecided: true } : { ...verdict, recognised: wider };
}

function recognisedAs({ capability, args }: Recognised): Kept {
  return { capability, created: false, warnings: [], ownArguments: args, isRecognised: true };
}

/** The learned code if it does what the run did; else the plain text that ran, unless that would store what must not be stored. */
async function faithful(
  run: Run,
  made: SucceededRun,
  learned: LearnedRun,
  verdict: ReplayVerdict | undefined,
): Promise<LearnedRun | { unsafe: string }> {
  if (verdict?.isFaithful !== false) return learned;
  run.log.warn(
    `what was learned from a run does something else in a replay; keeping the code as it was sent`,
  );
  if (!learned.holdsPayload) return learnFrom(run, made, true);
  return {
    unsafe:
      'With its data made parameters it does something else, and as it stands it holds a secret or what it writes: read these values from args instead',
  };
}

/** What a replay needs of the run; undefined if there is nothing to compare with. */
async function replayableRun(
  run: Run,
  { body, args = {}, code, resolved, recording }: SucceededRun,
  { code: learned, toolsUsed, liftedArguments, hiddenArguments }: LearnedRun,
): Promise<Omit<ReplayableRun, 'until'> | undefined> {
  if (!recording || recording.calls.length === 0 || usesRegistry(recording)) return undefined;
  const own = { ...liftedArguments, ...hiddenArguments, ...args };
  if (Object.values(own).includes(HIDDEN)) return undefined;
  // The recordings of capabilities hide their secrets, so that a run with secrets can only be compared with itself.
  const isAlone = run.redactor.runSecrets.secrets.length > 0;
  const callees = [...resolved.values(), ...run.called.values()];
  const reads = readOnlyCallees(new Map(callees.map((one) => [canonicalName(one), one])), callees);
  const names = Object.fromEntries(
    [...resolved].map(([spelling, callee]) => [spelling, canonicalName(callee)]),
  );
  const program = { code: body.before + body.code + body.after, args, names };
  const values = isAlone ? [] : await runCodeTask('writtenValues', code);
  const lifted = { code: await bodyOf(learned), args: own };
  const calls = new CallReads((name) => reads.get(name) === true);
  return { program, recording, values, toolsUsed, isAlone, lifted, reads: calls };
}

/** `pml.lookup(…)` and the like answer from a registry that changes. */
function usesRegistry({ calls }: Recording): boolean {
  return calls.some(({ name }) => name.startsWith('pml.'));
}

async function describeKept(
  run: Run,
  { name }: SucceededRun,
  learned: LearnedRun,
  { capability, created, warnings: kept, ownArguments, isRecognised = false }: Kept,
): Promise<Remembered> {
  if (run.who.grants && !(await maySeeRecord(run.db, run.who, capability.fqdn)))
    return { kept: capability, ownArguments, warnings: [] };
  const given = run.redactor.json(ownArguments);
  const twins = created
    ? await warnOfNearDuplicates(run, capability, learned, given)
    : name === undefined
      ? [sayKnown(capability, given, isRecognised)]
      : [];
  const unnamed = created ? [] : await pointOutUnnamed(run, capability);
  return {
    capability,
    kept: capability,
    warnings: [...twins, ...kept, ...unnamed],
    ownArguments,
    remembered: sayRemembered(run, capability, given),
  };
}
