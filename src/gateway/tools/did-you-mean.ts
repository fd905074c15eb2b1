import { PmlError } from '../../errors.ts';
import { type Caller, suggestInstead } from '../../execute/index.ts';
import type { Log } from '../../log.ts';
import type { Db } from '../../store/index.ts';

const NOT_FOUND = /^Capability not found: (.{1,200})$/s;

/** Adds to the error for an unknown capability which one was most likely meant. */
export async function withSuggestion(
  error: unknown,
  { db, caller, log }: { db: Db; caller: Caller; log: Log },
): Promise<unknown> {
  if (!(error instanceof PmlError) || error.code !== 'capability_not_found' || error.hint) return error;
  const name = NOT_FOUND.exec(error.message)?.[1];
  if (name === undefined) return error;
  try {
    const hint = await suggestInstead({ db, who: caller.who, tools: caller.tools }, name);
    return hint === undefined ? error : new PmlError(error.code, error.message, { hint, cause: error });
  } catch (failure) {
    // The answer must not get worse because a suggestion cannot be made.
    log.error(`cannot suggest a name: ${(failure as Error).stack}`);
    return error;
  }
}
