import type { CapabilityByTools } from '../../registry/procedures/index.ts';

const WORD = /[A-Za-z_$][\w$]*/g;
/** More words of a program say no more. In characters of code. */
const MAX_READ = 8_000;

/** The capabilities whose code has the most words in common with a program: names of fields say what a procedure is about. */
export function likestFirst(
  candidates: readonly CapabilityByTools[],
  code: string,
  most: number,
): CapabilityByTools[] {
  if (candidates.length <= most) return [...candidates];
  const own = wordsOf(code);
  const likeness = new Map(candidates.map((one) => [one, likenessOf(own, wordsOf(one.code))]));
  // Equal ones keep their order: the most used come first.
  return candidates
    .toSorted((a, b) => (likeness.get(b) as number) - (likeness.get(a) as number))
    .slice(0, most);
}

function wordsOf(code: string): Set<string> {
  return new Set(code.slice(0, MAX_READ).match(WORD));
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared / (a.size + b.size - shared || 1);
}
