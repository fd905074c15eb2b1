import type { SqlErrorFields } from '../sql-error.ts';
import type { RawResult, SqlText } from '../value-conversion.ts';

/** Passed to the worker when it starts. */
export interface WorkerSettings {
  folder: string;
  template: string;
}

/** A request to the worker, sent in batches. The worker answers in order. */
export type Request =
  | { id: number; kind: 'run'; sql: string; params: SqlText[]; prepare: boolean }
  | { id: number; kind: 'script'; sql: string }
  | { id: number; kind: 'close' };

/** A message from the worker. */
export type Message =
  | { kind: 'ready' }
  | { kind: 'slow' }
  | { kind: 'unusable'; reason: string }
  | { kind: 'notify'; channel: string; payload: string }
  | { kind: 'answers'; answers: Answer[] };

export type Answer = { id: number; result: RawResult | null } | { id: number; error: SqlErrorFields };
