import { knownArguments, type Learned } from './learner.ts';
import type { ProgramRun } from './run-program.ts';

/**
 * The arguments with which the generalised code does what the program did. Secrets and required payload have no default:
 * a trial run with a mark for each shows where they arrive, and the original run shows what arrived there.
 */
export async function originalArguments(
  learned: Learned,
  original: ProgramRun,
  tryOut: (args: Record<string, unknown>) => Promise<ProgramRun>,
): Promise<Record<string, unknown>> {
  const known = knownArguments(learned);
  const unknown = learned.parameters.filter(({ name }) => !(name in known)).map(({ name }) => name);
  if (unknown.length === 0) return known;
  const trial = await tryOut({ ...known, ...Object.fromEntries(unknown.map((name) => [name, `@@${name}`])) });
  const found = new Map<string, unknown>();
  for (const [at, { args }] of trial.calls.entries()) findMarks(args, original.calls[at]?.args, found);
  return { ...known, ...Object.fromEntries(unknown.map((name) => [name, found.get(`@@${name}`)])) };
}

function findMarks(tried: unknown, passed: unknown, found: Map<string, unknown>): void {
  if (typeof tried === 'string' && tried.startsWith('@@')) found.set(tried, passed);
  if (tried === null || typeof tried !== 'object') return;
  for (const [key, value] of Object.entries(tried))
    findMarks(value, (passed as Record<string, unknown> | undefined)?.[key], found);
}
