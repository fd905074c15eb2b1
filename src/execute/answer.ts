import type { Callable } from '../registry/index.ts';
import type { LogLine } from '../sandbox/index.ts';
import { shownName } from './resolve-names.ts';
import type { Run } from './run.ts';
import type { Suggestion } from './suggest.ts';

export type ExecuteAnswer =
  | {
      status: 'success';
      mode: 'direct' | 'capability';
      result: unknown;
      capabilityId?: string;
      capabilityName?: string;
      capabilityFqdn?: string;
      toolsUsed: string[];
      executionTimeMs: number;
      logs?: LogLine[];
      warnings?: string[];
    }
  | { status: 'suggestions'; mode: 'suggestion'; suggestions: Suggestion[] };

/** What a run leaves besides its result. */
export interface Left {
  /** Absent, if the code is not to be remembered. */
  capability?: Callable;
  warnings: readonly string[];
}

/** What is told of a run that succeeded. */
export function answerOf(
  mode: 'direct' | 'capability',
  run: Run,
  result: unknown,
  ms: number,
  { capability, warnings }: Left,
): ExecuteAnswer {
  const { logs } = run;
  return {
    status: 'success',
    mode,
    result: result === undefined ? null : result,
    ...(capability && {
      capabilityId: capability.id,
      capabilityName: capability.name,
      capabilityFqdn: capability.fqdn,
    }),
    toolsUsed: [...run.used.values()].map(shownName),
    executionTimeMs: Math.round(ms * 100) / 100,
    ...(logs.length > 0 && { logs }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}
