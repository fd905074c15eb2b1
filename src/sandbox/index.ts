import type { PausableDeadline } from '../pausable-deadline.ts';
import type { RunOwner } from './depth-queue.ts';
import type { ReplayOutcome } from './host-replay.ts';
import type { CallOut, Outcome } from './outcome.ts';
import type { Limits, LogLine, ToolNames } from './protocol.ts';
import { DEFAULT_REPLAY_LIMITS, type ReplayLimits, type ReplayRequest } from './replay-request.ts';
import { Scheduler, type SchedulerSize, type Stats } from './scheduler.ts';

export { JsonText } from './call-answer.ts';
export { compareAll, type IsRead, sameBehaviour } from './compare-transcripts.ts';
export type { RunOwner } from './depth-queue.ts';
export type { Outcome } from './outcome.ts';
export {
  type Limits,
  type LogLine,
  nestedTooDeep,
  READ_PATH,
  REGISTRY_READS,
  RESULT_READ,
  type RegistryRead,
  type ToolNames,
} from './protocol.ts';
export type {
  ReplayCall,
  ReplayLimits,
  ReplayProgram,
  ReplayRequest,
  TranscribedCall,
  Transcript,
  World,
} from './replay-request.ts';
export { decisionsIn, worldsFor } from './worlds/world-styles.ts';

interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Shared with other runs; replaces `limits.wallMs`. */
  deadline?: PausableDeadline;
  /** 0 for a top-level run, one more for each run above it, so that runs that wait for nested ones cannot block them. */
  depth?: number;
  /** Decides the run's share of the sandbox. */
  owner?: RunOwner;
  /** The keys that `Object.keys(mcp)` and `Object.keys(mcp.server)` list. */
  tools?: ToolNames;
  /** Hears each console line as the code prints it. */
  onLog?: ((line: LogLine) => void) | undefined;
}

/** Runs untrusted code, with nothing in reach but the calls it is given. */
export interface Sandbox {
  /** Runs the body of an async JavaScript function. */
  run(code: string, args: unknown, callOut: CallOut, limits: Limits, options?: RunOptions): Promise<Outcome>;
  /**
   * Runs programs without any effect: answers come from a recording and from variations of it. Returns a transcript for
   * each program and world, or why there is none.
   */
  replay(
    request: ReplayRequest,
    limits?: Partial<ReplayLimits>,
    options?: { owner?: RunOwner; signal?: AbortSignal | undefined },
  ): Promise<ReplayOutcome>;
  /** Sets how many runs may go on at one time, at each depth. A session without a run may start one beyond that. */
  resize(processes: number): void;
  close(): Promise<void>;
  stats(): Stats;
}

export const DEFAULT_LIMITS: Limits = {
  wallMs: 30_000,
  turnCpuMs: 5_000,
  memoryMb: 128,
  resultBytes: 16 * 1024 * 1024,
  logBytes: 256 * 1024,
  calls: 1_000,
  inFlight: 64,
};

const DEFAULT_SIZE: SchedulerSize = {
  processes: 8,
  warm: 2,
  warmAfterMs: 0,
  longRunMs: 50,
  runsPerProcess: 1_000,
  idleMs: 30_000,
  memoryMb: 128,
};

const ANONYMOUS: RunOwner = { principal: '', session: '' };

/** Starts the warm processes, at once or after a while, and returns; runs wait for them. */
export function openSandbox(size: Partial<SchedulerSize> = {}): Sandbox {
  const scheduler = new Scheduler({ ...DEFAULT_SIZE, ...size });
  return {
    run: (
      code,
      args,
      callOut,
      limits,
      { signal, deadline, depth = 0, owner = ANONYMOUS, onLog, tools } = {},
    ) => scheduler.run({ code, args, callOut, limits, signal, deadline, onLog, tools }, depth, owner),
    replay: (request, limits, { owner = ANONYMOUS, signal } = {}) =>
      scheduler.replay(request, { ...DEFAULT_REPLAY_LIMITS, ...limits }, owner, signal),
    resize: (processes) => scheduler.resize(processes),
    close: () => scheduler.close(),
    stats: () => scheduler.stats(),
  };
}
