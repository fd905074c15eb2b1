import type { JsonObject, JsonSchema } from '../../json.ts';
import type { Callable } from '../../registry/index.ts';
import type { LogLine } from '../../sandbox/index.ts';
import { displayName } from '../run/resolve-names.ts';
import { DEFAULT_RESULT_BYTES, type Run } from '../run/run.ts';
import { boundLogs } from './bound-logs.ts';
import type { Presented, Truncated } from './present-result.ts';

/** How to call what was remembered. */
export interface RememberedAnswer {
  /** For `pml_execute({ capability })` and for code. */
  name: string;
  /** Its name as a tool; null while it has no name, since only named capabilities are listed. */
  tool: string | null;
  /** A call that can be sent, also by a client that does not read the list of tools again. */
  call: string;
  parameters: JsonSchema;
}

/** The members in the order in which a model needs them. */
export interface ExecuteAnswer {
  /** First, because they may say that there is a better way: what a model reads first, it acts on. */
  warnings?: string[];
  status: 'success';
  mode: 'direct' | 'capability';
  result: unknown;
  /** Present if `result` is only the beginning. */
  truncated?: Truncated;
  remembered?: RememberedAnswer;
  cached?: true;
  logs?: LogLine[];
  toolsUsed: string[];
  capabilityName?: string;
  capabilityId?: string;
  capabilityFqdn?: string;
  executionTimeMs: number;
}

/** An answer, and the images and audio that go beside it. */
export interface Executed {
  answer: ExecuteAnswer;
  media: readonly JsonObject[];
}

/** The part of an answer that is neither the result nor the run. */
export interface AnswerDetails {
  /** Absent if the code was not remembered. */
  capability?: Callable;
  remembered?: RememberedAnswer;
  warnings: readonly string[];
  /** The result is that of an earlier, equal call. */
  isCached?: boolean;
}

/** Builds the answer of a run that succeeded. */
export function answerOf(
  mode: 'direct' | 'capability',
  { called, logs, resultBytes }: Pick<Run, 'called' | 'logs' | 'resultBytes'>,
  { result, truncated, warnings: ofResult, media }: Presented,
  ms: number,
  { capability, remembered, warnings: others, isCached }: AnswerDetails,
): Executed {
  const warnings = [...ofResult, ...others];
  const answer: ExecuteAnswer = {
    ...(warnings.length > 0 && { warnings }),
    status: 'success',
    mode,
    result: result === undefined ? null : result,
    ...(truncated && { truncated }),
    ...(remembered && { remembered }),
    ...(isCached && { cached: true as const }),
    // Whoever raised the limit for the result has room for the whole console, too.
    ...(logs.length > 0 && { logs: resultBytes > DEFAULT_RESULT_BYTES ? logs : boundLogs(logs) }),
    toolsUsed: [...called.values()].map(displayName),
    ...(capability && {
      capabilityName: capability.name,
      capabilityId: capability.id,
      capabilityFqdn: capability.fqdn,
    }),
    executionTimeMs: Math.round(ms * 100) / 100,
  };
  return { answer, media };
}
