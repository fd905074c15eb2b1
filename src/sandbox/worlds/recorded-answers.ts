import { canonicalJson } from '../../canonical-json.ts';
import type { ReplayCall } from '../replay-request.ts';
import { drawFrom } from './hash.ts';

/** An answer before a world varies it. */
export interface BaseAnswer {
  readonly result?: unknown;
  readonly error?: string;
  /** The arguments of the recorded call that was answered so; undefined if they are not known. */
  readonly args?: unknown;
  /** Whether the recorded run made this very call. */
  readonly isRecorded: boolean;
}

interface Recorded {
  readonly args: unknown;
  readonly result?: unknown;
  readonly error?: string;
}

/** The answers of the recorded run, by name and arguments, and those that tools gave elsewhere. */
export class RecordedAnswers {
  readonly #byCall = new Map<string, Recorded[]>();
  readonly #byTool = new Map<string, Recorded[]>();

  constructor(calls: readonly ReplayCall[], samples: Readonly<Record<string, readonly unknown[]>> = {}) {
    for (const { name, args, result, error } of calls) {
      const recorded = { args, ...(error === undefined ? { result } : { error }) };
      collectAnswer(this.#byCall, keyOf(name, canonicalArgs(args)), recorded);
      if (error === undefined) collectAnswer(this.#byTool, name, recorded);
    }
    for (const [name, results] of Object.entries(samples)) {
      for (const result of results) collectAnswer(this.#byTool, name, { args: undefined, result });
    }
  }

  /** The nth answer to this call, its last one if the run made it less often; else one of the tool's other answers. */
  answer(name: string, args: string, nth: number, key: number): BaseAnswer | undefined {
    const recorded = this.#byCall.get(keyOf(name, args));
    if (recorded) return { ...(recorded[nth] ?? (recorded.at(-1) as Recorded)), isRecorded: true };
    const others = this.#byTool.get(name);
    return others && { ...drawFrom(others, key, 91), isRecorded: false };
  }
}

/** Arguments as JSON with sorted keys. A call without arguments passes none or an empty object, which tools take alike. */
export function canonicalArgs(args: unknown): string {
  return canonicalJson(args ?? {});
}

function keyOf(name: string, args: string): string {
  return `${name}\n${args}`;
}

function collectAnswer(map: Map<string, Recorded[]>, key: string, recorded: Recorded): void {
  const list = map.get(key);
  if (list) list.push(recorded);
  else map.set(key, [recorded]);
}
