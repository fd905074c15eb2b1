import { PmlError } from '../../errors.ts';
import type { Callable } from '../../registry/index.ts';
import type { Run } from '../run/run.ts';

/** The caller causes these failures, whatever the code is. */
const CALLER_CODES: readonly string[] = ['invalid_arguments', 'cancelled'];
/** These codes end a run at a limit, which its caller may have set. */
const LIMIT_CODES: readonly string[] = ['code_timeout', 'code_limit'];

/**
 * Returns whether a failure is evidence against a capability, which takes it off everyone's list. Whoever chooses the
 * arguments can make almost any code fail, so only the creator's own failures count: the creator made the call, through
 * code of the creator's alone, under limits that nobody had lowered or used up.
 */
export function isEvidence(
  { who, callChain, hasLoweredLimits }: Pick<Run, 'who' | 'callChain' | 'hasLoweredLimits'>,
  { createdBy }: Pick<Callable, 'createdBy'>,
  error: unknown,
): boolean {
  const code = error instanceof PmlError ? error.code : '';
  // An agent may use fewer tools than its user, so code that works for others may fail for it.
  if (CALLER_CODES.includes(code) || who.user !== createdBy || who.grants) return false;
  if (callChain.some((caller) => caller.createdBy !== createdBy)) return false;
  // A nested run has only the time that its caller has left.
  return !(LIMIT_CODES.includes(code) && (hasLoweredLimits || callChain.length > 0));
}
