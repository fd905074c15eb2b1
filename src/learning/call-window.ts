import type { CallDigest, PlainCall } from './digest-call.ts';
import type { Segment, SegmentCounts } from './segment-counts.ts';
import { linksOf, linksOfLast, type SegmentLink } from './segment-links.ts';

/** A segment that has occurred often enough, with its latest occurrence. */
export interface RecurringSegment {
  /** Names it by its tools, keys and links. */
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

/** The longest segment, in calls. */
export const MAX_LENGTH = 8;
/** How often a segment must occur before a program is made of it. */
export const MIN_OCCURRENCES = 3;
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
  #pending: { readonly start: number; readonly found: RecurringSegment } | undefined;

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
    if (pending) this.#onRecurring(pending.found);
  }

  /** True if a segment waits to be handed over, or calls are recorded. */
  get isWaiting(): boolean {
    return this.#pending !== undefined || this.#entries.some(({ recorded }) => recorded);
  }

  /** The session rests: hands over what waits, and forgets the values of calls. */
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

  #extendSignatures(): void {
    const digests = this.#entries.map(({ digest }) => digest);
    const { shape } = digests.at(-1) as CallDigest;
    for (const [start, entry] of this.#entries.entries()) {
      const links = linksOfLast(digests.slice(start));
      const texts = links.map(({ leaf, from, path }) => `${leaf}<${from}.${path.join('.')}`);
      entry.signature += `${shape}(${texts.join(',')})`;
    }
  }

  /** Counts the segments that begin at this entry or before it, and returns the longest that recurs. */
  #countSegments(lastStart: number, at: number) {
    let longest: { start: number; found: RecurringSegment } | undefined;
    for (const [index, { signature }] of this.#entries.slice(0, lastStart + 1).entries()) {
      const entries = this.#entries.slice(index);
      const calls = entries.map(({ digest }) => digest);
      const [start, end] = [this.#first + index, this.#first + this.#entries.length - 1];
      const segment = this.#counts.count(signature, { session: this.#session, start, end, at, calls });
      if (longest || segment.count < MIN_OCCURRENCES || segment.last.end !== end) continue;
      const links = linksOf(calls);
      // The same call again and again is no procedure.
      if (links.length === 0 && new Set(calls.map(({ shape }) => shape)).size === 1) continue;
      longest = { start, found: { signature, segment, calls: entries.map((one) => ({ ...one })), links } };
    }
    return longest;
  }
}
