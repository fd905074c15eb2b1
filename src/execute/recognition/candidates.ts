import { runCodeTask } from '../../code/index.ts';
import { userOf } from '../../principal.ts';
import type { Callable } from '../../registry/index.ts';
import { type CapabilityByTools, findByTools } from '../../registry/procedures/index.ts';
import type { ReplayProgram } from '../../sandbox/index.ts';
import { argumentsFor } from '../arguments/validate-arguments.ts';
import type { Run } from '../run/run.ts';
import { likestFirst } from './rank-candidates.ts';
import type { ReplayableRun } from './replay-programs.ts';
import { type ArgumentSet, argumentSets, type KnownProcedure } from './solve-arguments.ts';

/** A capability that may do what a run did, with its code as a function body. */
export interface Candidate extends KnownProcedure {
  readonly capability: CapabilityByTools;
  readonly body: string;
}

/** A capability with arguments that may be those of the run. */
export interface Guess {
  readonly capability: Callable;
  readonly args: ArgumentSet;
  readonly unsure: readonly string[];
  readonly program: ReplayProgram;
}

/** How many capabilities with the same tools are read, and how many of them, the likest, are compared. */
const MAX_READ = 24;
const MAX_CANDIDATES = 6;
/** How many sets of arguments are tried with a capability. */
const MAX_SETS = 10;

/** Finds the capabilities that call what a run called: the likest, and all that were seen. */
export async function findCandidates(
  run: Run,
  { toolsUsed, lifted }: Pick<ReplayableRun, 'toolsUsed' | 'lifted'>,
): Promise<{ candidates: Candidate[]; seen: CapabilityByTools[] }> {
  const seen = await findByTools(run.db, userOf(run.who), toolsUsed, MAX_READ);
  const likest = likestFirst(seen, lifted.code, MAX_CANDIDATES);
  return { candidates: await Promise.all(likest.map((one) => candidateOf(run, one))), seen };
}

/** Recordings never leave their owner. */
async function candidateOf(run: Run, capability: CapabilityByTools): Promise<Candidate> {
  const { code, parametersSchema } = capability;
  const [recordings, body, constants] = await Promise.all([
    capability.createdBy === run.who.user ? run.recordings.of(capability) : [],
    bodyOf(code),
    runCodeTask('writtenValues', code),
  ]);
  return { capability, body, constants, recordings, parametersSchema };
}

/** Lists arguments with which the capability may do what the run did, the likeliest first. */
export function guessesFor(candidate: Candidate, made: ReplayableRun): Guess[] {
  const { capability, body } = candidate;
  return argumentSets(candidate, solvable(made), MAX_SETS).flatMap(({ args, unsure }) => {
    const filled = fillArguments(capability, args);
    return filled ? [{ capability, args, unsure, program: { code: body, args: filled } }] : [];
  });
}

export function solvable({ recording, values, lifted }: ReplayableRun) {
  return { calls: recording.calls, args: lifted.args as ArgumentSet, values };
}

/** Returns the arguments with the defaults of the others; undefined if the capability does not take them. */
export function fillArguments(
  capability: Parameters<typeof argumentsFor>[0],
  args: ArgumentSet,
): Record<string, unknown> | undefined {
  try {
    return argumentsFor(capability, args);
  } catch {
    return undefined;
  }
}

export async function bodyOf(source: string): Promise<string> {
  const { before, code, after } = await runCodeTask('functionBody', source);
  return before + code + after;
}
