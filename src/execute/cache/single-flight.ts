import { PmlError } from '../../errors.ts';
import type { PausableDeadline } from '../../pausable-deadline.ts';
import type { CachedResult } from './cached-result.ts';

/** How a run ended, for the equal calls that waited for it. */
export type FlightOutcome =
  /** Its result is theirs too. */
  | { kind: 'shared'; result: CachedResult }
  /** The code itself failed, so it would fail for them too. */
  | { kind: 'failed'; error: unknown }
  /** It was cancelled, or reached a limit of its own caller: one of them runs in its place. */
  | { kind: 'abandoned' }
  /** Its result is valid for its own call alone: each of them runs. */
  | { kind: 'unshared' };

interface Flight {
  readonly depth: number;
  readonly ended: Promise<FlightOutcome>;
}

/** The caller of a call that waits for an equal one. */
export interface Waiter {
  /** How many capabilities enclose the call. */
  readonly depth: number;
  readonly signal?: AbortSignal | undefined;
  readonly deadline: PausableDeadline;
}

/** The runs in progress that equal calls may wait for. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>();

  get size(): number {
    return this.#flights.size;
  }

  /**
   * The run that a call may wait for. A call waits only for a run at its own depth or deeper: a run that others wait for
   * never waits for one further out, so they cannot wait for each other, nor for a sandbox that a waiting run holds.
   */
  find(key: string, { depth }: Waiter): Flight | undefined {
    const flight = this.#flights.get(key);
    return flight && flight.depth >= depth ? flight : undefined;
  }

  /** Lets equal calls wait for a run. Returns a function that tells them how it ended. */
  start(key: string, depth: number): (outcome: FlightOutcome) => void {
    const { promise, resolve } = Promise.withResolvers<FlightOutcome>();
    const flight = { depth, ended: promise };
    this.#flights.set(key, flight);
    return (outcome) => {
      // A call that may not wait for this run may have started its own under the same key.
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
      resolve(outcome);
    };
  }

  /** Waits until the run has ended. The waiter's own deadline and cancellation end the wait, and nothing else. */
  wait({ ended }: Flight, { signal, deadline }: Waiter): Promise<FlightOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<FlightOutcome>();
    const cancel = () => reject(new PmlError('cancelled', 'The run was cancelled.'));
    const stopDeadline = deadline.onExpiry(() =>
      reject(new PmlError('code_timeout', 'The time was over before an equal call had its result.')),
    );
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel);
    ended.then(resolve);
    return promise.finally(() => {
      stopDeadline();
      signal?.removeEventListener('abort', cancel);
    });
  }
}
