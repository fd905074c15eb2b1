import { BoundedMap } from './bounded-map.ts';
import type { CallDigest } from './digest-call.ts';

/** One time that a segment occurred. */
export interface Occurrence {
  readonly session: string;
  /** The numbers of its first and last call in the session. */
  readonly start: number;
  readonly end: number;
  readonly at: number;
  readonly calls: readonly CallDigest[];
  /** The index in `calls` at which the segment begins; it ends with the last of them. */
  readonly from: number;
}

/** Some calls in sequence, by their tools, keys and links, and how often they occurred. */
export interface Segment {
  count: number;
  readonly firstAt: number;
  lastAt: number;
  /** The arguments of the first occurrence, as tokens. */
  readonly tokens: readonly (readonly number[])[];
  /** The arguments that were not the same each time, as `call.leaf`. */
  readonly varied: Set<string>;
  /** The occurrences that the stored proposal counts; 0 if there is none. */
  stored: number;
  /** How many arguments had varied when it was proposed. */
  storedVaried: number;
  isExact: boolean;
  /** Whether it is worth a program; undefined until it recurs. */
  isProcedure?: boolean;
  attempts: number;
  last: { readonly session: string; readonly end: number };
}

/** How many segments are counted for one principal. Beyond it the half seen longest ago is forgotten. */
const MAX_SEGMENTS = 2000;
const MAX_EXPECTED = 1000;

/** Counts the segments of all sessions of one principal. */
export class SegmentCounts {
  readonly #segments = new BoundedMap<string, Segment>(MAX_SEGMENTS);
  /** The shapes of calls in segments that occurred twice: the next time they are recorded. */
  readonly #expected = new BoundedMap<number, true>(MAX_EXPECTED);

  get size(): number {
    return this.#segments.size;
  }

  /** True if the call belongs to a segment that may now occur for the third time. */
  isExpected({ shape }: CallDigest): boolean {
    return this.#expected.has(shape);
  }

  count(signature: string, occurrence: Occurrence): Segment {
    const known = this.#segments.get(signature);
    if (!known) return this.#add(signature, occurrence);
    const { session, start, end, at, calls, from } = occurrence;
    // `a b a b a` holds "a b a" once: an occurrence does not share calls with the one before.
    if (known.last.session === session && start <= known.last.end) return known;
    known.count += 1;
    known.lastAt = at;
    known.last = { session, end };
    for (let call = from; call < calls.length; call += 1)
      this.#compare(known, call - from, calls[call] as CallDigest);
    if (known.count === 2) for (const { shape } of calls.slice(from)) this.#expected.set(shape, true);
    return known;
  }

  #compare({ tokens, varied }: Segment, call: number, digest: CallDigest): void {
    for (const [leaf, token] of digest.tokens.entries())
      if (tokens[call]?.[leaf] !== token) varied.add(`${call}.${leaf}`);
  }

  #add(signature: string, { session, end, at, calls, from }: Occurrence): Segment {
    const segment: Segment = {
      ...{ count: 1, firstAt: at, lastAt: at, varied: new Set() },
      tokens: calls.slice(from).map(({ tokens }) => tokens),
      ...{ stored: 0, storedVaried: 0, isExact: false, attempts: 0 },
      last: { session, end },
    };
    this.#segments.set(signature, segment);
    return segment;
  }
}
