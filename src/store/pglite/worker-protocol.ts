import type { SqlErrorFields } from '../sql-error.ts';
import type { RawResult, Text } from '../values.ts';

/** What the worker is told when it is started. */
export interface WorkerSettings {
  folder: string;
  template: string;
}

/** To the worker, several at a time. It answers in the order of asking. */
export type Request =
  | { id: number; ask: 'run'; sql: string; params: Text[]; prepare: boolean }
  | { id: number; ask: 'script'; sql: string }
  | { id: number; ask: 'close' };

/** From the worker. */
export type Message =
  | { tell: 'ready' }
  | { tell: 'slow' }
  | { tell: 'unusable'; reason: string }
  | { tell: 'notify'; channel: string; payload: string }
  | { tell: 'answers'; answers: Answer[] };

export type Answer = { id: number; result: RawResult | null } | { id: number; error: SqlErrorFields };
