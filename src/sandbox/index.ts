import type { PausableDeadline } from '../pausable-deadline.ts';
import type { Share } from './lane.ts';
import type { CallOut, Outcome } from './outcome.ts';
import { Pool, type PoolSize, type Stats } from './pool.ts';
import type { Limits } from './protocol.ts';

export type { Share } from './lane.ts';
export type { CallOut, Outcome } from './outcome.ts';
export type { PoolSize, Stats } from './pool.ts';
export {
  type Failure,
  type FailureKind,
  type Limits,
  type LogLevel,
  type LogLine,
  tooDeep,
} from './protocol.ts';

export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Time that the run shares with others, instead of `limits.wallMs`. */
  patience?: PausableDeadline;
  /** 0 for a run of its own and one more for each run that it is called from, so that runs that wait for others cannot keep these from running. */
  depth?: number;
  /** Whose run it is, where several share the sandbox. */
  share?: Share;
}

/** Runs code that nobody trusts, with nothing in reach but the calls it is given. */
export interface Sandbox {
  /** Runs the body of an async JavaScript function. */
  run(code: string, args: unknown, callOut: CallOut, limits: Limits, options?: RunOptions): Promise<Outcome>;
  /** How many runs may go on at one time, at each depth; sessions that have none may go beyond. */
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

const DEFAULT_SIZE: PoolSize = {
  processes: 8,
  warm: 2,
  runsPerProcess: 1_000,
  idleMs: 30_000,
  memoryMb: 128,
};

const NOBODY: Share = { principal: '', session: '' };

/** Starts the warm processes and answers at once; runs wait for them. */
export function openSandbox(options: Partial<PoolSize> = {}): Sandbox {
  const pool = new Pool({ ...DEFAULT_SIZE, ...options });
  return {
    run: (code, args, callOut, limits, { signal, patience, depth = 0, share = NOBODY } = {}) =>
      pool.run({ code, args, callOut, limits, signal, patience }, depth, share),
    resize: (processes) => pool.resize(processes),
    close: () => pool.close(),
    stats: () => pool.stats(),
  };
}
