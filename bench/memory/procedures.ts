import type { Json } from '../../src/json.ts';

export interface DirectCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
}

/** A procedure done once, with its data. */
export interface Use {
  /** The user's words. */
  readonly intent: string;
  /** The calls of a model without code. An argument that an earlier call returned is written out. */
  readonly calls: readonly DirectCall[];
  /** The program of a model that writes code. */
  readonly code: string;
  /** The answers of the calls, in turn; undefined if the server is real. */
  readonly results?: readonly Json[];
}

export interface MemoryProcedure {
  readonly id: string;
  /** Procedures of one task do the same for a user. */
  readonly task: string;
  readonly first: Use;
  /** The same with other data, in other words. */
  readonly repeat: Use;
  /** The words of the first use, with the data of the repeat. */
  readonly sameWords: string;
  /** A task of its own, close to this one. No remembered capability does it. */
  readonly nearMiss: string;
  /** Values of the first use that are no arguments of calls, with those of the repeat. */
  readonly otherValues?: readonly ValuePair[];
}

/** A value of the first use, and the one that has its place in the repeat. */
export interface ValuePair {
  readonly key: string;
  /** `server:tool`. */
  readonly tool: string;
  readonly first: Json;
  readonly repeat: Json;
}

/** Lists what differs between the calls of two uses: each argument as a whole, then its parts. */
export function valuePairs({ first, repeat }: Pick<MemoryProcedure, 'first' | 'repeat'>): ValuePair[] {
  return first.calls.flatMap(({ server, tool, args }, at) =>
    Object.entries(args).flatMap(([key, value]) =>
      pairsWithin(key, `${server}:${tool}`, value, repeat.calls[at]?.args[key] ?? null),
    ),
  );
}

function pairsWithin(key: string, tool: string, first: Json, repeat: Json): ValuePair[] {
  const whole = { key, tool, first, repeat };
  if (first === null || typeof first !== 'object' || repeat === null || typeof repeat !== 'object')
    return [whole];
  const parts = Object.entries(first).flatMap(([name, value]) =>
    pairsWithin(
      Array.isArray(first) ? key : name,
      tool,
      value as Json,
      (repeat as Record<string, Json>)[name] ?? null,
    ),
  );
  return [whole, ...parts];
}
