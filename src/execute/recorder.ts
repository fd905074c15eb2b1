import { messageOf, PmlError } from '../errors.ts';
import type { Json } from '../json.ts';
import { canonicalJson } from '../registry/index.ts';
import type { RecordedCall, Recording } from '../runs/index.ts';

/** Stands between a run and the calls that it makes. */
export interface Tape {
  call(name: string, given: unknown, act: () => Promise<unknown>): Promise<unknown>;
}

/** What a recording may measureJson; a run that does more is not recorded. */
const MAX_WEIGHT = 256 * 1024;
const MAX_CALLS = 200;
const MAX_DEPTH = 200;

/** Writes down what a run does. */
export class Recorder implements Tape {
  /** In the order in which they were made; nothing, once it has become too much. */
  #calls: RecordedCall[] | undefined = [];
  #room = MAX_WEIGHT;

  async call(name: string, given: unknown, act: () => Promise<unknown>): Promise<unknown> {
    const place = this.#calls?.length ?? 0;
    const args = (given ?? {}) as Json;
    this.#write(place, { name, args });
    try {
      const result = await act();
      this.#write(place, { name, args, result: (result ?? null) as Json });
      return result;
    } catch (error) {
      this.#write(place, { name, args, error: messageOf(error) });
      throw error;
    }
  }

  /** The whole run, if it was not too much. */
  recording(args: unknown, result: unknown): Recording | undefined {
    if (!this.#calls) return undefined;
    return { args: args as Json, calls: this.#calls, result: (result ?? null) as Json };
  }

  #write(place: number, call: RecordedCall): void {
    if (!this.#calls) return;
    this.#room -= measureJson(call, this.#room);
    if (this.#room < 0 || place >= MAX_CALLS) this.#calls = undefined;
    else this.#calls[place] = call;
  }
}

/** Answers the calls of a run from a recording. Nothing is ever really called. */
export class Player implements Tape {
  readonly #left: RecordedCall[];
  readonly #clean: (value: Json) => Json;
  /** Calls that the recorded run did not make. */
  readonly added: RecordedCall[] = [];

  /** `clean` hides what the recording hides, so that both can be compared. */
  constructor(calls: readonly RecordedCall[], clean: (value: Json) => Json) {
    this.#left = [...calls];
    this.#clean = clean;
  }

  /** Calls that the recorded run made and this one has not. */
  get missing(): readonly RecordedCall[] {
    return this.#left;
  }

  async call(name: string, given: unknown): Promise<unknown> {
    const args = isLight(given) ? this.#clean((given ?? {}) as Json) : '(more than a recording holds)';
    const wanted = canonicalJson(args);
    // By what is called, not by when: calls made side by side have no order.
    const at = this.#left.findIndex((call) => call.name === name && canonicalJson(call.args) === wanted);
    const [call] = at === -1 ? [] : this.#left.splice(at, 1);
    if (!call) {
      this.added.push({ name, args });
      throw new PmlError('tool_failed', 'The recorded run did not make this call.');
    }
    if (call.error !== undefined) throw new PmlError('tool_failed', call.error);
    return call.result;
  }
}

/** Whether a value is small enough to be kept and compared. */
export function isLight(value: unknown): boolean {
  return measureJson(value, MAX_WEIGHT) <= MAX_WEIGHT;
}

/** Roughly how long a value is as text; looks no further than the limit, nor deeper than anyone nests data. */
function measureJson(value: unknown, limit: number, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (depth > MAX_DEPTH) return Infinity;
  let weight = 2;
  for (const [key, one] of Object.entries(value)) {
    weight += key.length + 4 + measureJson(one, limit - weight, depth + 1);
    if (weight > limit) break;
  }
  return weight;
}
