import { hash } from 'node:crypto';
import type { CallDigest, PlainCall } from './digest-call.ts';
import type { Segment, SegmentCounts } from './segment-counts.ts';
import { linksOf, linksOfLast, mayHaveLinks, type SegmentLink } from './segment-links.ts';

/** A segment that has occurred often enough, with its latest occurrence. */
export interface RecurringSegment {
  /** A hash of its tools, keys and links: the same in every process. */
  readonly signature: string;
  readonly segment: Segment;
  readonly calls: readonly { readonly digest: CallDigest; readonly recorded?: PlainCall | undefined }[];
  readonly links: readonly SegmentLink[];
}

interface Entry {
  readonly digest: CallDigest;
  readonly at: number;
  /** The signature of the calls from this one to the latest. */
  signature: string;
  /** The call itself, if a segment that it belongs to may now occur for the third time. */
  recorded: PlainCall | undefined;
}

/** The latest occurrence of a segment that recurs and may yet become longer. */
interface Pending {
  /** The number of its first call in the session. */
  readonly start: number;
  readonly segment: Segment;
  readonly entries: readonly Entry[];
}

/** The longest segment, in calls. */
export const MAX_LENGTH = 8;
/** How often a segment must occur before a program is made of it. */
export const MIN_OCCURRENCES = 3;
/** A repeat of a segment's first call extends the segment only if it follows this share of its occurrences. */
const MIN_CONTINUED = 2 / 3;
/** An agent that pauses for longer begins something else. */
const MAX_PAUSE_MS = 10 * 60 * 1000;

/**
 * The latest calls of one session. It counts every segment that ends with the latest call, and hands a segment that recurs
 * to `onRecurring` once it cannot become longer: by the next call, a failure, a pause, or the session's end.
 */
export class CallWindow {
  readonly #session: string;
  readonly #counts: SegmentCounts;
  readonly #onRecurring: (segment: RecurringSegment) => void;
  #entries: Entry[] = [];
  /** The number of the first entry in the session. */
  #first = 0;
  /** The longest segment that recurs and ends with the latest call. */
  #pending: Pending | undefined;

  constructor(session: string, counts: SegmentCounts, onRecurring: (segment: RecurringSegment) => void) {
    this.#session = session;
    this.#counts = counts;
    this.#onRecurring = onRecurring;
  }

  add(digest: CallDigest, call: PlainCall, at: number): void {
    const before = this.#entries.at(-1);
    if (before && at - before.at > MAX_PAUSE_MS) this.end();
    const recorded = this.#counts.isExpected(digest) ? call : undefined;
    this.#entries.push({ digest, at, signature: '', recorded });
    this.#extendSignatures();
    const longest = this.#pending ? this.#pending.start - this.#first : this.#entries.length - 2;
    const found = this.#countSegments(longest, at);
    if (this.#pending && !found) this.#restart();
    this.#pending = found;
    if (this.#entries.length < MAX_LENGTH) return;
    this.#entries.shift();
    this.#first += 1;
  }

  /** Ends the sequence: the next call begins another. */
  end(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#first += this.#entries.length;
    this.#entries = [];
    if (pending) this.#onRecurring(describe(pending.segment, pending.entries));
  }

  /** True if a segment waits to be handed over, or calls are recorded. */
  get isWaiting(): boolean {
    return this.#pending !== undefined || this.#entries.some(({ recorded }) => recorded);
  }

  /** Called when the session is idle: hands over the pending segment, and forgets the values of calls. */
  rest(): void {
    if (this.#pending) this.end();
    for (const entry of this.#entries) entry.recorded = undefined;
  }

  /** The latest call continues no segment that recurs, so a new sequence begins with it. */
  #restart(): void {
    const latest = this.#entries.pop() as Entry;
    this.end();
    this.#entries = [{ ...latest, signature: `${latest.digest.shape}()` }];
  }

  /**
   * How often a segment must have occurred to be handed over. Where the latest call is the first of a segment that recurs,
   * that segment most likely begins anew: in `a b c a b c a b c` no `a b c a` is wanted.
   */
  #needed({ shape }: CallDigest): number {
    const pending = this.#pending;
    const beginsAnew = pending?.entries[0]?.digest.shape === shape;
    return Math.max(MIN_OCCURRENCES, pending && beginsAnew ? pending.segment.count * MIN_CONTINUED : 0);
  }

  #extendSignatures(): void {
    const digests = this.#entries.map(({ digest }) => digest);
    const { shape } = digests.at(-1) as CallDigest;
    const hasLinks = mayHaveLinks(digests);
    for (const [start, entry] of this.#entries.entries()) {
      const links = hasLinks ? linksOfLast(digests, start) : [];
      entry.signature += `${shape}(${links.map(linkText).join()})`;
    }
  }

  /** Counts the segments that begin at this entry or before it, and returns the longest that recurs. */
  #countSegments(lastStart: number, at: number): Pending | undefined {
    let longest: Pending | undefined;
    const calls = this.#entries.map(({ digest }) => digest);
    const end = this.#first + calls.length - 1;
    const needed = this.#needed(calls.at(-1) as CallDigest);
    for (let from = 0; from <= lastStart; from += 1) {
      const { signature } = this.#entries[from] as Entry;
      const start = this.#first + from;
      const segment = this.#counts.count(signature, { session: this.#session, start, end, at, calls, from });
      if (longest || segment.count < needed || segment.last.end !== end) continue;
      segment.isProcedure ??= isProcedure(calls.slice(from));
      if (segment.isProcedure) longest = { start, segment, entries: this.#entries.slice(from) };
    }
    return longest;
  }
}

function linkText({ leaf, from, path }: SegmentLink): string {
  return `${leaf}<${from}.${path.join('.')}`;
}

/** False for the same call again and again. */
function isProcedure(calls: readonly CallDigest[]): boolean {
  return new Set(calls.map(({ shape }) => shape)).size > 1 || linksOf(calls).length > 0;
}

/** Describes a segment with its latest occurrence. */
function describe(segment: Segment, entries: readonly Entry[]): RecurringSegment {
  const digests = entries.map(({ digest }) => digest);
  const links = linksOf(digests);
  const keys = digests.map(({ name, leaves }) => [name, ...leaves.map(({ path }) => path)]);
  const signature = hash('sha256', JSON.stringify([keys, links]));
  return { signature, segment, links, calls: entries.map(({ digest, recorded }) => ({ digest, recorded })) };
}
