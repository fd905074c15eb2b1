import type { Meaning } from '../embeddings/meaning.ts';
import type { Indexed, LexicalIndex } from '../lexical/lexical-index.ts';
import type { TermStatistics } from '../lexical/term-statistics.ts';
import type { Candidate } from '../lexical/top-candidates.ts';
import { clausesOf } from '../text/clauses.ts';
import { givenValues, missingShare } from '../text/given-values.ts';
import { intentWordsOf, readablePart } from '../text/intent-words.ts';
import { SCORE_CURVE, TEXT_WEIGHTS } from '../weights.ts';
import { addMeaning } from './add-meaning.ts';
import { coverIntent } from './cover-intent.ts';
import { findIn, fitOf, type MatchedTerms } from './fit.ts';
import { type QueryTerms, queryTermsOf } from './query-terms.ts';

/** One entry that may answer an intent. */
export interface Ranked {
  id: string;
  /** Entries are ordered by rank. */
  rank: number;
  score: number;
  /** The clause that it answers best. */
  clause: number;
  found: MatchedTerms;
}

export interface RankOptions {
  limit: number;
  isSplit: boolean;
  statistics: TermStatistics;
  /** How close entries are in meaning, if there are embeddings, and the closest ones that the caller may see. */
  meaning?: { of: Meaning; nearest: readonly number[] } | undefined;
  accepts: (entry: Indexed) => boolean;
  /** The factor that evidence gives an entry. */
  factorOf: (entry: Indexed) => number;
}

/** How many entries are looked at closely: for the whole intent, and for each clause. */
const MIN_CANDIDATES = 60;
const CLAUSE_CANDIDATES = 10;
/** How many occurrences of words are looked at, for the whole intent and again for its clauses: a few milliseconds' work. */
const MAX_OCCURRENCES = 120_000;

/** Ranks the entries that may answer one intent, best first. */
export function rankIntent(index: LexicalIndex, intent: string, options: RankOptions): Ranked[] {
  const text = readablePart(intent);
  const whole = queryTermsOf(options.statistics, intentWordsOf(text));
  const { meaning } = options;
  if (whole.terms.length === 0 && !meaning?.nearest.length) return [];
  const parts = options.isSplit ? clausesOf(text) : [];
  const clauses =
    parts.length > 1 ? parts.map((part) => queryTermsOf(options.statistics, intentWordsOf(part))) : [];
  const slots = candidates(index, whole, clauses, options);
  for (const slot of meaning?.nearest ?? []) slots.add(slot);
  const judged = [...slots].map((slot) => judge(index, options.statistics, whole, clauses, slot));
  addServerFit(judged);
  loseMissingValues(judged, text);
  const ranked = judged.map((one) => rankOf(one, whole, clauses, options));
  if (meaning) addMeaning(ranked, meaning.of);
  ranked.sort((a, b) => b.rank - a.rank || (a.id < b.id ? -1 : 1));
  return coverIntent(ranked, whole).slice(0, options.limit);
}

function candidates(
  index: LexicalIndex,
  whole: QueryTerms,
  clauses: readonly QueryTerms[],
  { limit, accepts }: RankOptions,
): Set<number> {
  const most = Math.max(MIN_CANDIDATES, 2 * limit);
  const best: Candidate[] = index.best(whole.terms, most, accepts, MAX_OCCURRENCES);
  const each = MAX_OCCURRENCES / Math.max(1, clauses.length);
  for (const { terms } of clauses) best.push(...index.best(terms, CLAUSE_CANDIDATES, accepts, each));
  return new Set(best.map(({ slot }) => slot));
}

interface Judged {
  entry: Indexed;
  found: MatchedTerms;
  /** To the whole intent. */
  fit: number;
  /** To each clause. */
  clauseFits: number[];
  /** Subtracted from its rank. */
  lost: number;
}

function judge(
  index: LexicalIndex,
  statistics: TermStatistics,
  whole: QueryTerms,
  clauses: readonly QueryTerms[],
  slot: number,
): Judged {
  const entry = index.at(slot);
  const found = findIn(index, whole, slot);
  const fit = fitOf(statistics, whole, entry, found);
  return {
    entry,
    found,
    fit,
    clauseFits: clauses.map((clause) => fitOf(statistics, clause, entry, found)),
    lost: 0,
  };
}

/** An entry whose server has one that fits well is more likely to be meant. */
function addServerFit(judged: Judged[]): void {
  const best = new Map<string, number>();
  for (const { entry, fit } of judged) best.set(entry.server, Math.max(best.get(entry.server) ?? 0, fit));
  for (const one of judged)
    one.fit = (one.fit + TEXT_WEIGHTS.server * (best.get(one.entry.server) ?? 0)) / (1 + TEXT_WEIGHTS.server);
}

/**
 * A tool that demands what the intent does not give is less likely to be meant than others. It is compared with other tools
 * only: a capability has defaults, which say nothing about what is asked.
 */
function loseMissingValues(judged: readonly Judged[], intent: string): void {
  const given = givenValues(intent);
  const tools = judged.filter(({ entry }) => entry.kind === 'tool');
  for (const one of tools) one.lost = TEXT_WEIGHTS.missingValues * missingShare(one.entry.demands, given);
  const average = tools.reduce((sum, { lost }) => sum + lost, 0) / tools.length;
  for (const one of tools) one.lost -= average;
}

function rankOf(
  { entry, found, fit, clauseFits, lost }: Judged,
  whole: QueryTerms,
  clauses: readonly QueryTerms[],
  { factorOf }: RankOptions,
): Ranked {
  let clause = 0;
  let clauseFit = 0;
  let covered = fit * coverable(whole);
  for (const [number, wanted] of clauses.entries()) {
    const own = clauseFits[number] ?? 0;
    covered = Math.max(covered, own * coverable(wanted));
    const share = whole.total === 0 ? 0 : own * (wanted.total / whole.total);
    if (share <= clauseFit) continue;
    clauseFit = share;
    clause = number;
  }
  const factor = factorOf(entry);
  const rank = Math.max(0, (fit + TEXT_WEIGHTS.clause * clauseFit) * factor - lost);
  return { id: entry.id, rank, score: scoreOf(covered * factor), clause, found };
}

/** Returns the share of an intent that a perfect entry would cover. */
function coverable({ total, fullTotal, unknownRarity }: QueryTerms): number {
  return total / (fullTotal + SCORE_CURVE.unknownWords * unknownRarity);
}

function scoreOf(covered: number): number {
  return 1 / (1 + Math.exp((SCORE_CURVE.middle - covered) / SCORE_CURVE.width));
}
