import { OPENINGS, type OpeningKind } from './openings.ts';

/** The word after `*` must be among this many words, so `*` stands for fewer. */
const MAX_GAP = 12;

interface Part {
  readonly words: ReadonlySet<string> | 'any';
  readonly isOptional: boolean;
}

const COMPILED = OPENINGS.flatMap(({ kind, patterns }) =>
  patterns.map((pattern) => ({ kind, parts: pattern.trim().split(/ +/).map(compilePart) })),
);

function compilePart(text: string): Part {
  if (text === '*') return { words: 'any', isOptional: true };
  const isOptional = text.endsWith('?');
  return { words: new Set((isOptional ? text.slice(0, -1) : text).split('|')), isOptional };
}

/** Finds the opening of a sentence, and how many of its words it takes. */
export function matchOpening(words: readonly string[]): { kind: OpeningKind; length: number } | undefined {
  for (const { kind, parts } of COMPILED) {
    const length = matchParts(parts, words);
    // Nothing would be left to name.
    if (length !== undefined && length < words.length) return { kind, length };
  }
  return undefined;
}

function matchParts(parts: readonly Part[], words: readonly string[]): number | undefined {
  let at = 0;
  for (const [index, { words: allowed, isOptional }] of parts.entries()) {
    if (allowed === 'any') {
      const next = parts[index + 1]?.words;
      const found = words.slice(at, at + MAX_GAP).findIndex((word) => next instanceof Set && next.has(word));
      if (found === -1) return undefined;
      at += found;
    } else if (allowed.has(words[at] ?? '')) at += 1;
    else if (!isOptional) return undefined;
  }
  return at;
}
