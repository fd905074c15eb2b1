import type { SentCode } from '../../code/index.ts';
import type { Callable } from '../../registry/index.ts';
import type { Outcome } from '../../sandbox/index.ts';
import type { CallTrace } from '../run/call-trace.ts';

/** A run that failed, with the code that ran and the calls that it made. */
export interface FailedRun {
  readonly outcome: Outcome & { ok: false };
  readonly trace: CallTrace;
  readonly code: string;
  /** The code as the caller sent it, if it was rewritten. */
  readonly sent?: SentCode;
  /** The arguments of code that was sent. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** The capability whose code it is. */
  readonly capability?: Callable;
}
