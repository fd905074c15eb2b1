import type { Callable } from '../../registry/index.ts';
import type { LogLine } from '../../sandbox/index.ts';
import { displayName } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';

export interface ExecuteAnswer {
  /** First, because they may say that there is a better way: what a model reads first, it acts on. */
  warnings?: string[];
  status: 'success';
  mode: 'direct' | 'capability';
  result: unknown;
  capabilityId?: string;
  capabilityName?: string;
  capabilityFqdn?: string;
  toolsUsed: string[];
  executionTimeMs: number;
  cached?: true;
  logs?: LogLine[];
}

/** The part of an answer that is neither the result nor the run. */
export interface AnswerDetails {
  /** Absent if the code was not remembered. */
  capability?: Callable;
  warnings: readonly string[];
  /** It is the result of an equal call. */
  isCached?: boolean;
}

/** Builds the answer of a run that succeeded. */
export function answerOf(
  mode: 'direct' | 'capability',
  { called, logs }: Pick<Run, 'called' | 'logs'>,
  result: unknown,
  ms: number,
  { capability, warnings, isCached }: AnswerDetails,
): ExecuteAnswer {
  return {
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    status: 'success',
    mode,
    result: result === undefined ? null : result,
    ...(capability && {
      capabilityId: capability.id,
      capabilityName: capability.name,
      capabilityFqdn: capability.fqdn,
    }),
    toolsUsed: [...called.values()].map(displayName),
    executionTimeMs: Math.round(ms * 100) / 100,
    ...(isCached && { cached: true as const }),
    ...(logs.length > 0 && { logs }),
  };
}
