import { isLinked, runCodeTask } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Json, JsonSchema } from '../../json.ts';
import { find } from '../../registry/index.ts';
import { assertNameFree, assertValidName } from '../../registry/names/index.ts';
import { findSameCode } from '../../registry/procedures/index.ts';
import type { FinishedRun } from '../../runs/index.ts';
import { assertNoSecret } from '../../stored-texts.ts';
import type { AcceptedCode } from '../calls/accept-code.ts';
import { resolveCalls } from '../calls/resolve-calls.ts';
import { runCode } from '../calls/run-code.ts';
import { explainNothing, ifPossible } from '../failures/explain-failure.ts';
import { failureOf } from '../failures/failure.ts';
import { Recorder } from '../recording/recorder.ts';
import type { ResolvedName } from '../run/resolve-names.ts';
import { CAPABILITY_SERVER, mayRecord, type Run, usedOwnServer } from '../run/run.ts';
import { answerOf, type Executed } from './answer.ts';
import { knownVerdicts, learn } from './learn.ts';
import { presentResult } from './present-result.ts';
import { type Remembered, rememberRun } from './remember-run.ts';
import { describeError } from './run-for-client.ts';

export interface ExecuteInput {
  intent: string;
  code?: string | undefined;
  capability?: string | undefined;
  args?: Record<string, unknown> | undefined;
  name?: string | undefined;
  options?: { timeout?: number; remember?: boolean; max_result_bytes?: number } | undefined;
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
  const recording = recorder?.recording(input.args ?? {}, outcome.value);
  const finished = { ...input, code, body: prepared.body, resolved, value: outcome.value, recording };
  const remembered: Remembered = recorder ? await rememberRun(run, finished) : { warnings: [] };
  const { kept, ownArguments = input.args ?? {} } = remembered;
  if (recording && kept && mayRecord(run, kept)) {
    await run.recordings.keep(kept, { ...recording, args: ownArguments as Json }, run.redactor);
  }
  if (kept && !usedOwnServer(run)) run.outputs.note(kept, run.who, outcome.value);
  journalSuccess(run, durationMs, remembered);
  noteDetails(run, input, { capability: kept, code: sent.source, args: ownArguments, result: outcome });
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
    // Only a run shows which literals are secrets or links, and with that whether this is the same code.
    const isLinkable = 'codeHash' in learned && learned.linkableCalls.length > 0;
    if (takesSecret(owner.parametersSchema) || (isLinkable && takesLink(owner.parametersSchema))) return;
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

function takesLink({ properties = {} }: JsonSchema): boolean {
  return Object.values(properties).some((property) => typeof property === 'object' && isLinked(property));
}
