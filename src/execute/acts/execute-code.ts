import { READS_KEPT_RESULT, runCodeTask } from '../../code/index.ts';
import { messageOf, PmlError } from '../../errors.ts';
import type { Json, JsonSchema } from '../../json.ts';
import { userOf, usesCapabilities } from '../../principal.ts';
import { type Callable, find, type Learned, remember } from '../../registry/index.ts';
import { assertNameFree, assertValidName, maySeeRecord } from '../../registry/names/index.ts';
import { findSameCode } from '../../registry/procedures/index.ts';
import type { FinishedRun, RecordedCall } from '../../runs/index.ts';
import { assertNoSecret } from '../../stored-texts.ts';
import type { AcceptedCode } from '../calls/accept-code.ts';
import { resolveCalls } from '../calls/resolve-calls.ts';
import { runCode } from '../calls/run-code.ts';
import { explainNothing, ifPossible } from '../failures/explain-failure.ts';
import { failureOf } from '../failures/failure.ts';
import { Recorder } from '../recording/recorder.ts';
import type { ResolvedName } from '../run/resolve-names.ts';
import { CAPABILITY_SERVER, mayRecord, type Run, usedOwnServer } from '../run/run.ts';
import { type AnswerDetails, answerOf, type Executed } from './answer.ts';
import { knownVerdicts, learn, learnFromRun } from './learn.ts';
import { pointOutUnnamed } from './point-out-unnamed.ts';
import { presentResult } from './present-result.ts';
import { describeError } from './run-for-client.ts';
import { sayRemembered } from './say-remembered.ts';
import { sayKnown, warnOfNearDuplicates } from './warn-of-near-duplicates.ts';
import { whyNotKeep } from './worth-keeping.ts';

export interface ExecuteInput {
  intent: string;
  code?: string | undefined;
  capability?: string | undefined;
  args?: Record<string, unknown> | undefined;
  name?: string | undefined;
  options?: { timeout?: number; remember?: boolean; max_result_bytes?: number } | undefined;
}

/** A capability that is remembered, as its callers know it. */
interface Kept {
  readonly capability: Callable;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

interface Remembered extends AnswerDetails {
  /** The capability that the code became or was. An agent is told of it, as `capability`, only if it may use it. */
  kept?: Callable;
  /** The arguments with which the capability does what the code did. */
  liftedArguments?: Readonly<Record<string, Json>>;
}

/** Runs code that was sent, and remembers it if it succeeds. */
export async function executeCode(
  run: Run,
  input: ExecuteInput,
  { code, ...sent }: AcceptedCode,
): Promise<Executed> {
  const prepared = await runCodeTask('prepareRun', code, sent);
  const resolved = await resolveCalls(run, code, prepared);
  // Checked before the code runs: a name that is taken must not cost the side effects of a run.
  if (input.name !== undefined)
    await assertNameable(run, input.name, code, resolved).catch((error) => {
      throw beforeRun(error);
    });
  const started = performance.now();
  const recorder = input.options?.remember === false ? undefined : new Recorder();
  const outcome = await runCode({ ...run, interceptor: recorder }, prepared.body, input.args ?? {}, resolved);
  const durationMs = performance.now() - started;
  if (!outcome.ok) {
    const failure = await failureOf(run, { outcome, trace: outcome.trace, code, sent, args: input.args });
    await journalFailure(run, durationMs, failure, code);
    noteDetails(run, input, { code: sent.source, args: input.args ?? {}, error: describeError(failure) });
    throw failure;
  }
  const remembered = await rememberCode(run, input, code, resolved, {
    value: outcome.value,
    passed: recorder?.calls,
  });
  const { kept, liftedArguments } = remembered;
  if (recorder && kept && mayRecord(run, kept)) {
    const recording = recorder.recording({ ...liftedArguments, ...input.args }, outcome.value);
    if (recording) await run.recordings.keep(kept, recording, run.redactor);
  }
  if (kept && !usedOwnServer(run)) run.outputs.note(kept, run.who, outcome.value);
  journalSuccess(run, durationMs, remembered);
  const args = { ...liftedArguments, ...input.args };
  noteDetails(run, input, { capability: kept, code: sent.source, args, result: outcome });
  const misread =
    outcome.value === undefined ? await ifPossible(run, explainNothing(run, outcome.trace, code)) : undefined;
  const warnings = [...(misread === undefined ? [] : [misread]), ...remembered.warnings];
  return answerOf('direct', run, presentResult(run, outcome), durationMs, { ...remembered, warnings });
}

/** Stores the details of the run that the journal does not hold. */
function noteDetails(
  { place, who, logs, redactor, details }: Run,
  { intent }: ExecuteInput,
  run: Pick<FinishedRun, 'capability' | 'code' | 'args' | 'result' | 'error'>,
): void {
  details.note({ id: place.id, who, kind: 'run', intent, logs, redactor, ...run });
}

async function journalFailure(
  { journal, who, redactor, place }: Run,
  durationMs: number,
  failure: PmlError,
  code: string,
): Promise<void> {
  const call = { server: 'pml', tool: 'pml_execute', who, success: false, durationMs, run: place };
  // The error may quote a secret of the code that was passed to nobody.
  redactor.learnTexts(await runCodeTask('secretLiterals', code));
  journal.record({ ...call, error: failure.message, redactor });
}

/** Journals a success. It counts for the capability that the code became, and names it if the caller may use it. */
function journalSuccess(
  { journal, who, place }: Run,
  durationMs: number,
  { kept, capability }: Remembered,
): void {
  journal.record({
    server: capability ? CAPABILITY_SERVER : 'pml',
    tool: capability?.name ?? 'pml_execute',
    fqdn: kept?.fqdn,
    who,
    success: true,
    durationMs,
    run: place,
  });
}

/** Remembers the code for the user. An agent hears of it only as far as it may use capabilities. */
async function rememberCode(...given: Parameters<typeof rememberForUser>): Promise<Remembered> {
  const remembered = await rememberForUser(...given);
  const [{ who }] = given;
  return usesCapabilities(who) ? remembered : { ...remembered, warnings: [] };
}

async function rememberForUser(
  run: Run,
  { intent, name, args, options }: ExecuteInput,
  code: string,
  resolved: ReadonlyMap<string, ResolvedName>,
  { value, passed }: { value: unknown; passed: readonly RecordedCall[] | undefined },
): Promise<Remembered> {
  if (options?.remember === false) return { warnings: [] };
  // The run has had its effects, so its result must reach the caller even if the code cannot be remembered.
  try {
    const reason =
      run.resultReads.count > 0
        ? `This code was not remembered. ${READS_KEPT_RESULT}.`
        : await whyNotKeep(code, { value, name, called: run.called.values() });
    if (reason !== undefined) return { warnings: [reason] };
    const { redactor } = run;
    const learned = await learnFromRun(run, code, resolved, { intent, name, args, redactor });
    if (!('unsafe' in learned)) {
      // Checked again: the run has shown which values are secret.
      if (name !== undefined) assertNoSecret('The name', name, run.redactor);
      const kept =
        (await findKnown(run, learned)) ?? (await remember(run, userOf(run.who), learned, run.who));
      const liftedArguments = learned.liftedArguments;
      const { capability } = kept;
      if (run.who.grants && !(await maySeeRecord(run.db, run.who, capability.fqdn)))
        return { kept: capability, liftedArguments, warnings: [] };
      const given = run.redactor.json({ ...liftedArguments, ...args });
      const twins = kept.created
        ? await warnOfNearDuplicates(run, kept.capability, learned, given)
        : name === undefined
          ? [sayKnown(kept.capability, given)]
          : [];
      const unnamed = kept.created ? [] : await pointOutUnnamed(run, kept.capability);
      const warnings = [...twins, ...kept.warnings, ...unnamed];
      const said = sayRemembered(run, capability, given);
      return { ...kept, kept: capability, warnings, liftedArguments, remembered: said };
    }
    return { warnings: [`This code was not remembered. ${learned.unsafe}.`] };
  } catch (error) {
    if (!(error instanceof PmlError)) run.log.error(`cannot remember a run: ${(error as Error).stack}`);
    return { warnings: [`This code was not remembered: ${messageOf(error)}`] };
  }
}

/** Finds a capability that does the same as the code; undefined also if the code brings a name or verdicts to store. */
async function findKnown({ names, who }: Run, learned: Learned): Promise<Kept | undefined> {
  if (learned.name !== undefined || learned.verdicts?.length) return undefined;
  const capability = await names.findCode(userOf(who), learned.codeHash);
  return capability && { capability, created: false, warnings: [] };
}

async function assertNameable(
  run: Run,
  name: string,
  code: string,
  resolved: ReadonlyMap<string, ResolvedName>,
): Promise<void> {
  assertValidName(name);
  assertNoSecret('The name', name, run.redactor);
  // An agent that repeats itself gives the same code the same name: that is no collision.
  const owner = await find(run.db, run.who, name);
  if (owner?.name === name) {
    const verdicts = await knownVerdicts(run, resolved);
    const learned = await learn(code, resolved, [], { intent: '', name, redactor: run.redactor, verdicts });
    const same = 'codeHash' in learned ? await findSameCode(run.db, run.who, learned.codeHash) : undefined;
    if (same?.fqdn === owner.fqdn) return;
    // Only a run shows which literals are secrets, and with that whether this is the same code.
    if (takesSecret(owner.parametersSchema)) return;
  }
  await assertNameFree(run.db, run.who, name);
  run.tools.assertFree(name);
}

/** Adds to an error that nothing has run, which a model cannot tell from it. */
function beforeRun(error: unknown): unknown {
  if (!(error instanceof PmlError)) return error;
  const { code, message, hint = '' } = error;
  return new PmlError(code, message, { hint: `${hint} Nothing has run.`.trimStart(), cause: error });
}

function takesSecret({ properties = {} }: JsonSchema): boolean {
  return Object.values(properties).some(
    (property) => typeof property === 'object' && property.writeOnly === true,
  );
}
