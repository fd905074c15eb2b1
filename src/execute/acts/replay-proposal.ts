import { randomUUID } from 'node:crypto';
import { runCodeTask } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { userOf } from '../../principal.ts';
import { type Callable, remember } from '../../registry/index.ts';
import type { Recording } from '../../runs/index.ts';
import { resolveStaticNames } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';
import { knownVerdicts, learn } from './learn.ts';
import { differencesFrom } from './verify.ts';

/** A program that nobody has run yet, and what it must do. */
export interface ProposedProgram {
  readonly intent: string;
  readonly code: string;
  /** Its arguments, the calls that it must make with them, and what it must return. Without secrets. */
  readonly recording: Recording;
}

/** Replays a program as it would be remembered, and says how it differs from the recording. Makes no real call. */
export async function replayProposal(run: Run, program: ProposedProgram): Promise<string[]> {
  const { learned, recording } = await learnProgram(run, program);
  const { code, parametersSchema } = learned;
  const subject = {
    name: 'the program',
    fqdn: `proposal:${randomUUID()}`,
    version: 0,
    code,
    parametersSchema,
  };
  return differencesFrom(recording, run, subject);
}

/** Remembers a program as if it had been sent and run, with its recording. */
export async function keepProgram(run: Run, program: ProposedProgram): Promise<Callable> {
  const { learned, recording } = await learnProgram(run, program);
  const kept = await remember(run, userOf(run.who), learned);
  const args = { ...learned.liftedArguments, ...(recording.args as JsonObject) };
  await run.recordings.keep(kept.capability, { ...recording, args: args as Json }, run.redactor);
  return kept.capability;
}

async function learnProgram(run: Run, { intent, code, recording }: ProposedProgram) {
  const { references } = await runCodeTask('prepareRun', code);
  const resolved = await resolveStaticNames(run, references);
  const args = isJsonObject(recording.args) ? recording.args : {};
  const verdicts = await knownVerdicts(run, resolved);
  const learned = await learn(code, resolved, [], { intent, args, redactor: run.redactor, verdicts });
  if ('unsafe' in learned)
    throw new PmlError('bad_request', `This code cannot be remembered. ${learned.unsafe}.`);
  return { learned, recording: { ...recording, args: { ...learned.liftedArguments, ...args } } as Recording };
}
