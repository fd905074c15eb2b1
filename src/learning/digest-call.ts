import { hash, randomBytes } from 'node:crypto';
import { Budget } from '../budget.ts';
import { canonicalJson } from '../canonical-json.ts';
import { leavesOf, type Origins, originsOf, type TokenLeaf, tellingOf } from '../code/index.ts';
import type { Json } from '../json.ts';
import { jsonFits } from '../measure.ts';
import { argumentLeaves } from './argument-leaves.ts';

/** A call of a tool that succeeded. */
export interface PlainCall {
  /** `server:tool`. */
  readonly name: string;
  readonly args: Json;
  readonly result: Json;
}

/** A call without its values: a keyed hash stands for each. */
export interface CallDigest {
  readonly name: string;
  /** Equal for calls of one tool with the same keys in their arguments. */
  readonly shape: string;
  readonly leaves: readonly TokenLeaf<number>[];
  /** The tokens of the leaves. All segments with this call share the list. */
  readonly tokens: readonly number[];
  /** The values that links of later calls may lead to. */
  readonly origins: Origins<number>;
}

/** In bytes of JSON. Larger arguments are documents; a larger result is not searched for links. */
const MAX_ARGUMENTS = 64 * 1024;
export const MAX_RESULT = 64 * 1024;
/** Values of a result that are searched. */
const MAX_RESULT_STEPS = 1000;

/** Nobody outside of this process can compare a guess with a hash. */
const KEY = randomBytes(32).toString('hex');

/** Digests a call; undefined if no program should make it: its arguments are too large or too many. */
export function digestCall({ name, args, result }: PlainCall): CallDigest | undefined {
  const given = jsonFits(args, MAX_ARGUMENTS) ? argumentLeaves(args) : undefined;
  if (!given) return undefined;
  const leaves = given.map(({ path, value }) => ({
    path,
    token: tokenOf(value),
    telling: typeof value === 'object' && value !== null ? ('never' as const) : tellingOf(value),
  }));
  const shape = hash('sha256', JSON.stringify([name, given.map(({ path }) => path)]));
  return {
    name,
    shape: shape.slice(0, 32),
    leaves,
    tokens: leaves.map(({ token }) => token),
    origins: originsOf(leaves, resultLeaves(result)),
  };
}

function resultLeaves(result: Json): TokenLeaf<number>[] {
  if (!jsonFits(result, MAX_RESULT)) return [];
  const leaves = leavesOf(result, new Budget({ steps: MAX_RESULT_STEPS })) ?? [];
  return leaves.flatMap(({ path, value }) => {
    const telling = tellingOf(value);
    return telling === 'never' ? [] : [{ path, telling, token: tokenOf(value) }];
  });
}

/** Makes 48 bits of a value. The cut keeps anyone from extending the hash, so it is as good as an HMAC here, and faster. */
function tokenOf(value: Json): number {
  const text = typeof value === 'string' ? `"${value}` : canonicalJson(value);
  return Number.parseInt(hash('sha256', KEY + text).slice(0, 12), 16);
}
