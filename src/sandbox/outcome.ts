import type { Failure, LogLine } from './protocol.ts';

/** How a run ended. A guest's failure is a value: only a fault of PML itself throws. */
export type Outcome = (Success | (Failure & { ok: false })) & {
  /** The console output. */
  logs: LogLine[];
  /** How many calls out were made. */
  calls: number;
  /** Time since the code started. */
  ms: number;
};

export interface Success {
  ok: true;
  /** Plain JSON data, or undefined. */
  value: unknown;
  /** The value as JSON; empty if it is undefined. */
  text: string;
  /** The size of the text. */
  bytes: number;
  /** The numbers in it that JSON cannot hold and that became null. */
  lost?: string;
  /** Calls that were still under way when the code returned, and were cancelled. */
  abandoned: number;
}

/** Answers a call out of the guest; a rejection becomes an exception in the guest. */
export type CallOut = (path: string[], args: unknown, signal: AbortSignal) => Promise<unknown>;
