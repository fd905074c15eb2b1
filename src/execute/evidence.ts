import { PmlError } from '../errors.ts';
import type { Callable } from '../registry/index.ts';
import type { Run } from './run.ts';

/** These end a run whatever its code is. */
const CALLERS: readonly string[] = ['invalid_arguments', 'cancelled'];
/** These end a run at a limit, which may be one that its caller set. */
const LIMITS: readonly string[] = ['code_timeout', 'code_limit'];

/**
 * Whether a failure is evidence against a capability, which takes it off everyone's list. Whoever chooses the arguments can
 * make almost any code fail, so only the creator's own failures are: of calls that the creator made, by code of the
 * creator's alone, under limits that nobody had lowered or used up.
 */
export function isEvidence(
  { who, chain, isTightened }: Pick<Run, 'who' | 'chain' | 'isTightened'>,
  { createdBy }: Pick<Callable, 'createdBy'>,
  error: unknown,
): boolean {
  const code = error instanceof PmlError ? error.code : '';
  if (CALLERS.includes(code) || who.user !== createdBy) return false;
  if (chain.some((caller) => caller.createdBy !== createdBy)) return false;
  // A run that is called by another has what time that one has left.
  return !(LIMITS.includes(code) && (isTightened || chain.length > 0));
}
