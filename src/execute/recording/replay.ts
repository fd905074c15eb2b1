import { canonicalJson } from '../../canonical-json.ts';
import { PmlError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import type { RecordedCall } from '../../runs/index.ts';
import type { CallInterceptor } from './call-interceptor.ts';
import { isRecordable } from './recording-size.ts';

/** Answers the calls of a run from a recording. It never makes a real call. */
export class Replay implements CallInterceptor {
  readonly #remaining: RecordedCall[];
  readonly #redact: (value: Json) => Json;
  /** Calls that the recorded run did not make. */
  readonly added: RecordedCall[] = [];

  /** `redact` hides what the recording hides, so that both can be compared. */
  constructor(calls: readonly RecordedCall[], redact: (value: Json) => Json) {
    this.#remaining = [...calls];
    this.#redact = redact;
  }

  /** Calls that the recorded run made and this one has not. */
  get missing(): readonly RecordedCall[] {
    return this.#remaining;
  }

  async call(name: string, given: unknown): Promise<unknown> {
    const args = isRecordable(given) ? this.#redact((given ?? {}) as Json) : '(more than a recording holds)';
    const key = canonicalJson(args);
    // Matches by name and arguments, not by order: concurrent calls have none.
    const index = this.#remaining.findIndex((call) => call.name === name && canonicalJson(call.args) === key);
    const [call] = index === -1 ? [] : this.#remaining.splice(index, 1);
    if (!call) {
      this.added.push({ name, args });
      throw new PmlError('tool_failed', 'The recorded run did not make this call.');
    }
    if (call.error !== undefined) throw new PmlError('tool_failed', call.error);
    return call.result;
  }
}
