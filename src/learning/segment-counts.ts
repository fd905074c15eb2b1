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
  attempts: number;
  last: { readonly session: string; readonly end: number };
}

/** How many segments are counted for one principal. The one seen longest ago is forgotten first. */
const MAX_SEGMENTS = 2000;
const MAX_EXPECTED = 1000;

/** Counts the segments of all sessions of one principal. */
export class SegmentCounts {
  readonly #segments = new BoundedMap<string, Segment>(MAX_SEGMENTS);
  /** The shapes of calls in segments that occurred twice: the next time they are recorded. */
  readonly #expected = new BoundedMap<string, true>(MAX_EXPECTED);

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
    const { session, start, end, at, calls } = occurrence;
    // `a b a b a` holds "a b a" once: an occurrence does not share calls with the one before.
    if (known.last.session === session && start <= known.last.end) return known;
    known.count += 1;
    known.lastAt = at;
    known.last = { session, end };
    for (const [call, { tokens }] of calls.entries())
      for (const [leaf, token] of tokens.entries())
        if (known.tokens[call]?.[leaf] !== token) known.varied.add(`${call}.${leaf}`);
    if (known.count === 2) for (const { shape } of calls) this.#expected.set(shape, true);
    return known;
  }

  #add(signature: string, { session, end, at, calls }: Occurrence): Segment {
    const segment: Segment = {
      ...{ count: 1, firstAt: at, lastAt: at, varied: new Set() },
      tokens: calls.map(({ tokens }) => tokens),
      ...{ stored: 0, storedVaried: 0, isExact: false, attempts: 0 },
      last: { session, end },
    };
    this.#segments.set(signature, segment);
    return segment;
  }
}
