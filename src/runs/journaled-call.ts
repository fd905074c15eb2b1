import { messageOf } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Journal, RunPlace } from './journal.ts';

export interface Callee {
  server: string;
  tool: string;
  /** Set for a capability. */
  fqdn?: string;
}

/** The caller of a tool or capability, and the secrets that must not reach the journal. */
export interface CallOrigin {
  journal: Journal;
  who: Principal;
  redactor: Redactor;
  /** The arguments, if the redactor has not learned them: an error may quote them. */
  given?: unknown;
  /** The run in which the call is made. */
  place?: RunPlace;
}

/**
 * Whom a failure counts against: the callee or the caller. `arguments` means that the arguments were wrong and nothing
 * ran: the call is journalled, but not counted.
 */
export type Fault = 'callee' | 'caller' | 'arguments';

/**
 * Runs a call, times it and journals it. Every call of a server's tool or a capability, by a client or by code, goes through
 * here; `journal-own-call.ts` journals those of PML's own tools.
 */
export async function journaledCall<T>(
  { journal, who, redactor, given, place }: CallOrigin,
  callee: Callee,
  call: () => Promise<T>,
  succeeded: (result: T) => boolean | 'unfinished',
  faultOf: (error: unknown) => Fault = () => 'callee',
  isCached: () => boolean = () => false,
): Promise<T> {
  const started = performance.now();
  const record = (success: boolean, error?: unknown) => {
    const fault = error === undefined ? undefined : faultOf(error);
    journal.record({
      ...callee,
      ...{ who, success, durationMs: performance.now() - started, cached: isCached(), run: place },
      ...(error !== undefined && {
        error: messageOf(error),
        redactor: redactorFor(redactor, given),
        byCaller: fault !== 'callee',
        refused: fault === 'arguments',
      }),
    });
  };
  try {
    const result = await call();
    const success = succeeded(result);
    if (success !== 'unfinished') record(success);
    return result;
  } catch (error) {
    record(false, error);
    throw error;
  }
}

function redactorFor(redactor: Redactor, given: unknown): Redactor {
  if (given === undefined) return redactor;
  const own = redactor.fork();
  own.learnPassed(given, '', { isNested: false, isHandedOn: false });
  return own;
}
