import { messageOf, PmlError } from '../errors.ts';
import type { CallError } from './protocol.ts';

const TOO_LARGE_OR_DEEP = 'The answer is too large or nested too deep to be passed on: ask for less of it.';

/** A value that is at hand as JSON: it goes to the guest as it is, without being parsed. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns the JSON text of a call's result, as the guest gets it. */
export function answerText(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    // V8 has no stack left for so deep a value, or the text exceeds the longest string.
    throw error instanceof RangeError ? new PmlError('code_limit', TOO_LARGE_OR_DEEP) : error;
  }
}

/** Returns the part of a call's failure that the guest may know: never the host's stack. */
export function callError(thrown: unknown): CallError {
  const error: CallError = { message: messageOf(thrown) };
  if (!(thrown instanceof PmlError)) return error;
  if (thrown.hint) error.message += ` ${thrown.hint}`;
  return { ...error, code: thrown.code, denied: thrown.code === 'not_allowed' };
}
