import { hash, randomBytes } from 'node:crypto';
import { Budget } from '../budget.ts';
import { canonicalJson } from '../canonical-json.ts';
import { leavesOf, type Origins, originsOf, type TokenLeaf, tellingOf } from '../code/links/index.ts';
import type { Json } from '../json.ts';
import { jsonFits } from '../json-size.ts';
import { type ArgumentLeaf, argumentLeaves } from './argument-leaves.ts';
import { BoundedMap } from './bounded-map.ts';

/** A call of a tool that succeeded. */
export interface PlainCall {
  /** `server:tool`. */
  readonly name: string;
  readonly args: Json;
  /** The value that code would get; undefined if it is too large to be read. */
  readonly result: Json | undefined;
}

/** A call without its values: a keyed hash stands for each. */
export interface CallDigest {
  readonly name: string;
  /** Equal for calls of one tool with the same keys in their arguments. */
  readonly shape: number;
  readonly leaves: readonly TokenLeaf<number>[];
  /** The tokens of the leaves. All segments with this call share the list. */
  readonly tokens: readonly number[];
  /** The values that links of later calls may lead to. */
  readonly origins: Origins<number>;
}

/** In bytes of JSON. Larger arguments are documents, not the arguments of a procedure. */
const MAX_ARGUMENTS = 64 * 1024;
/** Values of a result; 256 characters of a text count as one. A larger result is not searched for links. */
const MAX_RESULT_STEPS = 300;
const MAX_SHAPES = 5000;

/** A number for each shape that was seen lately, which is shorter than the shape itself. */
const shapes = new BoundedMap<string, number>(MAX_SHAPES);
let lastShape = 0;

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
  return {
    name,
    shape: shapeOf(name, given),
    leaves,
    tokens: leaves.map(({ token }) => token),
    origins: originsOf(leaves, resultLeaves(result)),
  };
}

function shapeOf(name: string, leaves: readonly ArgumentLeaf[]): number {
  const text = JSON.stringify([name, ...leaves.map(({ path }) => path)]);
  const known = shapes.get(text);
  if (known !== undefined) return known;
  lastShape += 1;
  shapes.set(text, lastShape);
  return lastShape;
}

function resultLeaves(result: Json | undefined): TokenLeaf<number>[] {
  const leaves = leavesOf(result, new Budget({ steps: MAX_RESULT_STEPS })) ?? [];
  return leaves.flatMap(({ path, value }) => {
    const telling = tellingOf(value);
    return telling === 'never' ? [] : [{ path, telling, token: tokenOf(value) }];
  });
}

/** Hashes a value to 48 bits. Truncated, the hash cannot be extended: it is as good as an HMAC here, and faster. */
function tokenOf(value: Json): number {
  const text = typeof value === 'string' ? `"${value}` : canonicalJson(value);
  return Number.parseInt(hash('sha256', KEY + text).slice(0, 12), 16);
}
