import { runCodeTask } from '../code/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import type { Json } from '../json.ts';
import { assertNameFree, assertValidName, find, remember } from '../registry/index.ts';
import { assertNoSecret } from '../texts.ts';
import { answerOf, type ExecuteAnswer, type Left } from './answer.ts';
import { learn } from './learn.ts';
import { Recorder } from './recorder.ts';
import { resolveStatic, type Target } from './resolve-names.ts';
import { CAPABILITY_SERVER, failureOf, mayRecord, type Run, runCode } from './run.ts';
import { warnOfNearDuplicates } from './warn-of-near-duplicates.ts';

export interface ExecuteInput {
  intent: string;
  code?: string | undefined;
  capability?: string | undefined;
  args?: Record<string, unknown> | undefined;
  name?: string | undefined;
  options?: { timeout?: number; remember?: boolean; max_result_bytes?: number } | undefined;
}

interface Kept extends Left {
  /** The arguments with which the capability does what the code did. */
  lifted?: Readonly<Record<string, Json>>;
}

/** Runs code that was sent, and remembers it if it succeeds. */
export async function executeCode(run: Run, input: ExecuteInput, code: string): Promise<ExecuteAnswer> {
  const { journal } = run;
  const { references, body } = await runCodeTask('prepareRun', code);
  const targets = await resolveStatic(run, references);
  // Asked before the code runs: a name that is taken must not cost the side effects of a run.
  if (input.name !== undefined) await assertNameable(run, input.name, code, targets);
  const started = performance.now();
  const tape = input.options?.remember === false ? undefined : new Recorder();
  const outcome = await runCode({ ...run, tape }, body, input.args ?? {}, targets);
  const durationMs = performance.now() - started;
  if (!outcome.ok) {
    const failure = failureOf(outcome);
    journal.record({
      server: 'pml',
      tool: 'pml_execute',
      who: run.who,
      success: false,
      durationMs,
      error: failure.message,
      redactor: run.redactor,
    });
    throw failure;
  }
  const remembered = await keep(run, input, code, targets);
  const { capability, lifted } = remembered;
  if (tape && capability && mayRecord(run, capability)) {
    const made = tape.recording({ ...lifted, ...input.args }, outcome.value);
    if (made) await run.recordings.keep(capability, made, run.redactor);
  }
  journal.record({
    server: capability ? CAPABILITY_SERVER : 'pml',
    tool: capability?.name ?? 'pml_execute',
    fqdn: capability?.fqdn,
    who: run.who,
    success: true,
    durationMs,
  });
  return answerOf('direct', run, outcome.value, durationMs, remembered);
}

async function keep(
  run: Run,
  { intent, name, args, options }: ExecuteInput,
  code: string,
  targets: ReadonlyMap<string, Target>,
): Promise<Kept> {
  if (options?.remember === false) return { warnings: [] };
  // The run has had its effects: whatever becomes of its memory, its result must reach the caller.
  try {
    const learned = await learn(code, targets, run.used.values(), {
      intent,
      name,
      args,
      redactor: run.redactor,
    });
    if (!('unsafe' in learned)) {
      const kept = await remember(run, run.who, learned);
      const twins = kept.created ? await warnOfNearDuplicates(run, kept.capability, learned) : [];
      return { ...kept, warnings: [...kept.warnings, ...twins], lifted: learned.lifted };
    }
    return { warnings: [`This code was not remembered. ${learned.unsafe}: take it from args instead.`] };
  } catch (error) {
    if (!(error instanceof PmlError)) run.log.error(`a run is not remembered: ${(error as Error).stack}`);
    return { warnings: [`This code was not remembered: ${messageOf(error)}`] };
  }
}

async function assertNameable(
  run: Run,
  name: string,
  code: string,
  targets: ReadonlyMap<string, Target>,
): Promise<void> {
  assertValidName(name);
  assertNoSecret('The name', name, run.redactor);
  // An agent that repeats itself gives the same code the same name: that is no collision.
  const owner = await find(run.db, run.who, name);
  if (owner?.name === name) {
    const learned = await learn(code, targets, [], { intent: '', name, redactor: run.redactor });
    if ('codeHash' in learned && learned.codeHash === owner.codeHash) return;
  }
  await assertNameFree(run.db, run.who, name);
  run.tools.assertFree(name);
}
