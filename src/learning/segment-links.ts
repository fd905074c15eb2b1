import { mayLink } from '../code/links/index.ts';
import type { CallDigest } from './digest-call.ts';

/** An argument of a segment's call that comes from the result of an earlier one of the segment. */
export interface SegmentLink {
  readonly call: number;
  /** The index of the argument among the leaves of its call. */
  readonly leaf: number;
  readonly from: number;
  readonly path: readonly string[];
}

/** Finds the links of the last of some calls, as `findLinks` does for values. Calls before `start` do not count. */
export function linksOfLast(calls: readonly CallDigest[], start = 0): SegmentLink[] {
  const last = calls.length - 1;
  const links: SegmentLink[] = [];
  for (const [leaf, one] of (calls[last] as CallDigest).leaves.entries()) {
    if (one.telling === 'never') continue;
    let from = start;
    while (from < last && !calls[from]?.origins.has(one.token)) from += 1;
    const path = from === last ? undefined : calls[from]?.origins.get(one.token);
    if (path && mayLink(one, path)) links.push({ call: last - start, leaf, from: from - start, path });
  }
  return links;
}

/** True if the last of some calls passes a value that stands in an earlier one. */
export function mayHaveLinks(calls: readonly CallDigest[]): boolean {
  const last = calls.length - 1;
  const { leaves } = calls[last] as CallDigest;
  return leaves.some(
    ({ telling, token }) =>
      telling !== 'never' && calls.some(({ origins }, index) => index < last && origins.has(token)),
  );
}

/** Finds all links between the calls of a segment. */
export function linksOf(calls: readonly CallDigest[]): SegmentLink[] {
  return calls.flatMap((_, index) => linksOfLast(calls.slice(0, index + 1)));
}
