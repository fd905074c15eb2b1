/** The request and the answer of a replay. Host and child share this file. */

/** A program to replay: the body of an async JavaScript function, and its arguments. */
export interface ReplayProgram {
  readonly code: string;
  readonly args: unknown;
  /**
   * The canonical name of each spelling in the code, by the call's path joined with ":". Other spellings are matched
   * without case, "_" and "-" against the names that the request knows.
   */
  readonly names?: Readonly<Record<string, string>>;
}

/** A call of the recorded run, with its result or its error. */
export interface ReplayCall {
  readonly name: string;
  readonly args: unknown;
  readonly result?: unknown;
  readonly error?: string;
}

export const WORLD_KINDS = [
  'recorded',
  'values',
  'edges',
  'longer',
  'single',
  'empty',
  'partlyEmpty',
  'shuffled',
  'sparse',
  'falsy',
  'null',
  'text',
  'odd',
  'fuller',
  'fail1',
  'fail2',
  'fail3',
  'failAll',
  'failSome',
  'failWrite1',
  'failWrite2',
  'failTool',
] as const;
export type WorldKind = (typeof WORLD_KINDS)[number];

/** A made-up set of answers: a variation of the recording that depends on nothing but this. */
export interface World {
  readonly kind: WorldKind;
  readonly seed: number;
  /** When the programs run, in milliseconds. */
  readonly now?: number;
}

export interface ReplayRequest {
  readonly programs: readonly ReplayProgram[];
  readonly worlds: readonly World[];
  /** The calls of the recorded run, in order. */
  readonly calls: readonly ReplayCall[];
  /** Results that tools have shown elsewhere, by name, for calls that were not recorded. */
  readonly samples?: Readonly<Record<string, readonly unknown[]>>;
  /** Literals of the programs. Made-up values are also drawn from them and their neighbours, so that comparisons meet both sides. */
  readonly literals?: readonly (string | number)[];
  /**
   * The code whose reads say what answers may hold that nobody has seen; that of the programs if absent. Programs that are
   * compared over several replays name it each time, so that they meet the same worlds.
   */
  readonly readers?: readonly string[];
  /** The callees that only read. All others may change something. */
  readonly reads: readonly string[];
}

export interface TranscribedCall {
  readonly name: string;
  /** JSON with sorted keys. */
  readonly args: string;
  /** How many of the calls right before it had no answer yet when it was made. */
  readonly unanswered: number;
}

/** What one program did in one world. */
export interface Transcript {
  /** In the order in which they were made. */
  readonly calls: readonly TranscribedCall[];
  /** `limit` says nothing about the program: it was stopped. */
  readonly end: 'value' | 'failure' | 'limit';
  /** The value as the guest serialised it; empty for undefined. */
  readonly value?: string;
  /** Why there is no value. */
  readonly message?: string;
}

/** The limits of a replay. All but the times hold for each program in each world. */
export interface ReplayLimits {
  /** Time from the request to the answer, waiting included. */
  wallMs: number;
  /** Processor time of one program in one world. */
  turnCpuMs: number;
  calls: number;
  /** Size of the value, and of the arguments of all calls together. */
  valueBytes: number;
  /** Timers that fire. */
  timers: number;
}

export const DEFAULT_REPLAY_LIMITS: ReplayLimits = {
  wallMs: 1_000,
  turnCpuMs: 300,
  calls: 300,
  valueBytes: 1024 * 1024,
  timers: 2_000,
};

/** Size of all transcripts of a replay together. Those beyond it end as `limit`. */
export const MAX_TRANSCRIPTS_BYTES = 8 * 1024 * 1024;
/** Longest message and longest name in a transcript. */
export const MAX_TRANSCRIPT_TEXT = 1_000;
