import { mayLink } from '../code/index.ts';
import type { CallDigest } from './digest-call.ts';

/** An argument of a segment's call that comes from the result of an earlier one of the segment. */
export interface SegmentLink {
  readonly call: number;
  /** The index of the argument among the leaves of its call. */
  readonly leaf: number;
  readonly from: number;
  readonly path: readonly string[];
}

/** Finds the links of the last of some calls, as `findLinks` does for values. */
export function linksOfLast(calls: readonly CallDigest[]): SegmentLink[] {
  const last = calls.length - 1;
  const { leaves } = calls[last] as CallDigest;
  return leaves.flatMap((one, leaf) => {
    if (one.telling === 'never') return [];
    const from = calls.findIndex(({ origins }, index) => index < last && origins.has(one.token));
    const path = from === -1 ? undefined : calls[from]?.origins.get(one.token);
    return path && mayLink(one, path) ? [{ call: last, leaf, from, path }] : [];
  });
}

/** Finds all links between the calls of a segment. */
export function linksOf(calls: readonly CallDigest[]): SegmentLink[] {
  return calls.flatMap((_, index) => linksOfLast(calls.slice(0, index + 1)));
}
