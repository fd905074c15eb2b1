import { messageOf, PmlError } from '../errors.ts';
import type { CallError } from './protocol.ts';

const TOO_DEEP = 'The answer is too large or nested too deep to be passed on: ask for less of it.';

/** A call's result as the guest gets it. */
export function answerText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    // V8 has no stack left for so deep a value, or no string long enough.
    throw error instanceof RangeError ? new PmlError('code_limit', TOO_DEEP) : error;
  }
}

/** What the guest may know of a call's failure: never the host's stack. */
export function callError(thrown: unknown): CallError {
  const error: CallError = { message: messageOf(thrown) };
  if (!(thrown instanceof PmlError)) return error;
  if (thrown.hint) error.message += ` ${thrown.hint}`;
  return { ...error, code: thrown.code, denied: thrown.code === 'not_allowed' };
}
