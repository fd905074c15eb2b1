import { messageOf } from '../../errors.ts';
import { jsonFits } from '../../json-size.ts';
import { canonicalName, type ResolvedName } from './resolve-names.ts';

/** One call that a run made. */
export interface TracedCall {
  readonly callee: ResolvedName;
  readonly given: unknown;
  readonly startedAt: number;
  state: 'pending' | 'done' | 'failed';
  /** Why it failed. */
  error?: unknown;
}

/** Results beyond this size are not kept; in bytes of JSON. */
const MAX_RESULT = 256 * 1024;
const MAX_RESULTS = 20;

/** The calls of one run, in order, so that a failure can say what was done before it. A nested run has its own. */
export class CallTrace {
  readonly calls: TracedCall[] = [];
  /** The last result of each callee, by canonical name. */
  readonly results = new Map<string, unknown>();

  async follow(
    { callee, given, signal }: { callee: ResolvedName; given: unknown; signal: AbortSignal },
    act: () => Promise<unknown>,
  ): Promise<unknown> {
    const call: TracedCall = { callee, given, startedAt: performance.now(), state: 'pending' };
    this.calls.push(call);
    try {
      const result = await act();
      call.state = 'done';
      this.#keepResult(canonicalName(callee), result);
      return result;
    } catch (error) {
      // A call that is aborted with its run stays pending: it may have taken effect.
      if (!signal.aborted) call.state = 'failed';
      call.error = error;
      throw error;
    }
  }

  /** The calls that are in progress, or were aborted with the run. */
  get pending(): TracedCall[] {
    return this.calls.filter(({ state }) => state === 'pending');
  }

  /** Returns the latest failed call whose error the message quotes. */
  failedWith(message: string): TracedCall | undefined {
    return this.calls.findLast(({ state, error }) => {
      const text = state === 'failed' ? messageOf(error) : '';
      return text !== '' && message.includes(text);
    });
  }

  #keepResult(name: string, result: unknown): void {
    this.results.delete(name);
    if (this.results.size >= MAX_RESULTS || !jsonFits(result, MAX_RESULT)) return;
    this.results.set(name, result);
  }
}
