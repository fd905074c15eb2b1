import { messageOf } from '../../errors.ts';
import type { Json } from '../../json.ts';
import type { RecordedCall, Recording } from '../../runs/index.ts';
import type { CallInterceptor } from './call-interceptor.ts';
import { estimateSize, MAX_RECORDING_SIZE } from './recording-size.ts';

const MAX_CALLS = 200;

/** Records the calls of a run. */
export class Recorder implements CallInterceptor {
  /** In the order in which the calls were made; undefined once they exceed the limits. */
  #calls: RecordedCall[] | undefined = [];
  #sizeLeft = MAX_RECORDING_SIZE;

  async call(name: string, given: unknown, act: () => Promise<unknown>): Promise<unknown> {
    const index = this.#calls?.length ?? 0;
    const args = (given ?? {}) as Json;
    this.#record(index, { name, args });
    try {
      const result = await act();
      this.#record(index, { name, args, result: (result ?? null) as Json });
      return result;
    } catch (error) {
      this.#record(index, { name, args, error: messageOf(error) });
      throw error;
    }
  }

  /** The calls of tools in the order in which they were made; undefined if they exceeded the limits. */
  get calls(): readonly RecordedCall[] | undefined {
    return this.#calls?.filter(({ name }) => !name.startsWith('pml.'));
  }

  /** Returns the whole run, or undefined if it exceeded the limits. */
  recording(args: unknown, result: unknown): Recording | undefined {
    if (!this.#calls) return undefined;
    return { args: args as Json, calls: this.#calls, result: (result ?? null) as Json };
  }

  #record(index: number, call: RecordedCall): void {
    if (!this.#calls) return;
    this.#sizeLeft -= estimateSize(call, this.#sizeLeft);
    if (this.#sizeLeft < 0 || index >= MAX_CALLS) this.#calls = undefined;
    else this.#calls[index] = call;
  }
}
