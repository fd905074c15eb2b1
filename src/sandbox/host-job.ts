import type { FailureKind } from './protocol.ts';
import type { SandboxProcess } from './sandbox-process.ts';

/** The host's side of what a process does at one time: a run or a replay. */
export interface HostJob {
  /** Why the job cannot be queued. */
  readonly refusal: string | undefined;
  /** Memory that the host holds for the job. */
  readonly bytes: number;
  /** Starts the job in a process that is ready. `onSilent` is called if the process does not respond. */
  begin(process: SandboxProcess, onSilent?: () => void): void;
  /** Stops without an outcome. */
  abandon(): void;
  fail(kind: FailureKind, message: string): void;
}
