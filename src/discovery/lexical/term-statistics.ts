/** Frequencies of words, as the searcher may know them. Entries that it may not see must not influence its scores. */
export interface TermStatistics {
  /** Returns the number of a term; undefined if no entry that the searcher may know of holds it. */
  numberOf(term: string): number | undefined;
  /** Returns how rare a term is. */
  rarity(number: number | undefined): number;
}

/** How often terms occur in some entries. */
export interface TermCounts {
  /** The number of those entries that everyone may know of. */
  readonly size: number;
  /** Term → how many of these hold it. A term that only the others hold has the count 0. */
  readonly counts: ReadonlyMap<number, number>;
}
