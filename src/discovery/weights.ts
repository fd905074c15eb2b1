/** Every weight of the ranking. They were chosen on the queries of `bench/discovery.ts`, which prints what they reach. */

export interface FieldWeight {
  /** The worth of one word in this field. */
  weight: number;
  /** 0: every word counts in full. 1: a word counts less in proportion to the field's length. */
  lengthNorm: number;
  /** Words in a field of ordinary length. A constant, so that no entry changes another's score. */
  ordinaryLength: number;
}

export const FIELD_WEIGHTS = {
  name: { weight: 2.55, lengthNorm: 0.75, ordinaryLength: 4 },
  title: { weight: 1, lengthNorm: 0.5, ordinaryLength: 4 },
  server: { weight: 1.2, lengthNorm: 0.75, ordinaryLength: 2 },
  tags: { weight: 1, lengthNorm: 0.5, ordinaryLength: 4 },
  /** The first sentence of the description. */
  summary: { weight: 0.6, lengthNorm: 0.6, ordinaryLength: 10 },
  /** The rest of it. */
  details: { weight: 0.45, lengthNorm: 0.6, ordinaryLength: 25 },
  intents: { weight: 0.6, lengthNorm: 0.3, ordinaryLength: 10 },
  calls: { weight: 0.5, lengthNorm: 0.6, ordinaryLength: 6 },
  parameterNames: { weight: 0.4, lengthNorm: 0.6, ordinaryLength: 6 },
  parameterDescriptions: { weight: 0.4, lengthNorm: 0.6, ordinaryLength: 48 },
} as const satisfies Record<string, FieldWeight>;

/** A word that is found `n` weighted times counts n / (n + saturation), so that repeating it gains little. */
export const SATURATION = 0.56;

/**
 * Rarity is counted as if this many more entries were there, without any of the words. Otherwise "file" would say nothing
 * among ten tools that all deal with files, and scores would change with each server that is added.
 */
export const OTHER_ENTRIES = 300;

/** How the parts of an entry's fit add up. The share of the intent's words that it has weighs 1. */
export const TEXT_WEIGHTS = {
  /** Share of the words of its name that the intent has. */
  nameInIntent: 0.05,
  /** Share of the intent's neighbouring words that are neighbours in the entry, too. */
  phrases: 0.1,
  /** The fit of the best entry of the same server. */
  server: 0.3,
  /** The fit to the clause that it fits best. */
  clause: 0.5,
  /** Closeness in meaning, if there are embeddings. */
  meaning: 0.45,
  /** An entry that shares no word with the intent is considered from this likeness in meaning on. */
  leastLikeness: 0.35,
  /** Subtracted if the intent gives none of the numbers and ids that the entry demands. */
  missingValues: 0.1,
  /** The share of the fit that is lost if, for example, the intent asks to read and the entry deletes. */
  wrongEffect: 0.15,
  /** The remaining worth of a word of the intent once an entry above has it, so that other words get their turn. */
  repeated: 0.88,
} as const;

/** How evidence changes the fit: each gain is a share of it. */
export const EVIDENCE_WEIGHTS = {
  /** Reached at 1,000 uses, on a logarithmic scale. */
  uses: 0.06,
  /** For a success rate of 1; taken away for 0. */
  success: 0.08,
  /** For a use just now; halved every 30 days. */
  recency: 0.05,
  named: 0.03,
  /** The session used it before. */
  usedBefore: 0.08,
  /** Taken away if a tool that it uses has changed. */
  stale: 0.4,
  /** Taken away if it uses no tool: a computation is easily written again. */
  computation: 0.05,
} as const;

/**
 * The score of an entry from the share of the intent that it covers, as a curve from 0 to 1. Measured with tool sets that
 * have the right tool and sets that lack it; the middle is where most of the former are above and most of the latter below.
 */
export const SCORE_CURVE = {
  /** This many unknown words are counted besides those of the intent, since a match of one word proves little. */
  unknownWords: 2,
  middle: 0.19,
  width: 0.05,
} as const;

/**
 * The score of an entry from its likeness in meaning, by the same sets. Words prove more: it never reaches what an entry
 * that has all words of the intent gets.
 */
export const MEANING_CURVE = { middle: 0.55, width: 0.05, highest: 0.7 } as const;

/** Below this score nothing fits. */
export const NOTHING_FITS = 0.4;
