import { createHash } from 'node:crypto';
import type { Meaning } from '../embeddings/meaning.ts';
import type { Vectors } from '../embeddings/vectors.ts';
import type { DiscoveryEntry, DiscoveryHit, DiscoveryQuery } from '../entry.ts';
import { analyseEntry } from '../lexical/document.ts';
import { type Indexed, LexicalIndex } from '../lexical/lexical-index.ts';
import type { TermCounts, TermStatistics } from '../lexical/term-statistics.ts';
import { clausesOf } from '../text/clauses.ts';
import { readablePart } from '../text/intent-words.ts';
import { evidenceFactor } from './evidence-factor.ts';
import { mergeIntents } from './merge-intents.ts';
import { rankIntent } from './rank-intent.ts';
import { Replacements } from './replacements.ts';

const MAX_INTENTS = 16;
const MAX_LIMIT = 1000;

interface Known {
  slot: number;
  source: string;
  hash: string;
}

/**
 * Finds tools and capabilities by intent. Entries are analysed in slices in the background; a search answers from those
 * that are ready, and `settled` waits for all.
 */
export class DiscoveryIndex {
  readonly #lexical = new LexicalIndex();
  readonly #known = new Map<string, Known>();
  /** Source → the ids of its entries. */
  readonly #sources = new Map<string, Set<string>>();
  readonly #replacements = new Replacements({
    set: (source, entry) => this.#set(source, entry),
    drop: (id) => this.#drop(id),
  });

  readonly #vectors: Vectors | undefined;
  /** Term counts of an agent's tools, cached until the index changes. */
  readonly #toolCounts = new WeakMap<object, { generation: number; counts: TermCounts }>();

  constructor({ vectors }: { vectors?: Vectors | undefined } = {}) {
    this.#vectors = vectors;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Replaces the entries of one source (a server, or the capabilities). Unchanged ones cost a hash comparison. */
  replace(source: string, entries: readonly DiscoveryEntry[]): void {
    const ids = this.#sources.get(source);
    const listed = new Set(ids ? entries.map(({ id }) => id) : []);
    const gone = [...(ids ?? [])].filter((id) => !listed.has(id));
    for (const id of gone) this.#lexical.at(this.#known.get(id)?.slot as number).isHidden = true;
    this.#replacements.start(source, entries, gone);
  }

  /** Adds or replaces one entry. By default its source is its server, or `capabilities`. */
  put(entry: DiscoveryEntry, source = entry.kind === 'tool' ? entry.server : 'capabilities'): void {
    this.#replacements.supersede(entry.id);
    this.#set(source, entry);
  }

  remove(id: string): void {
    this.#replacements.supersede(id);
    this.#drop(id);
  }

  /** Resolves once all entries that were handed over can be found. */
  settled(): Promise<void> {
    return this.#replacements.settled();
  }

  /** As `search`, but also by meaning if there are embeddings. */
  async find(query: DiscoveryQuery): Promise<DiscoveryHit[]> {
    const vectors = this.#vectors;
    if (!vectors) return this.search(query);
    const intents = query.intents.slice(0, MAX_INTENTS);
    const parts = intents.map((intent) => (intents.length === 1 ? partsOf(intent) : [readablePart(intent)]));
    const accepts = (id: string) => this.#visibleSlot(id, query) !== undefined;
    const meanings = await vectors.meaningsOf(parts, { user: query.user, accepts });
    return this.search(query, meanings);
  }

  /** Finds the entries that answer the intents, best first. */
  search(query: DiscoveryQuery, meanings?: readonly Meaning[]): DiscoveryHit[] {
    const { limit, evidenceOf, usedBefore, now = Date.now() } = query;
    if (!(limit >= 1)) return [];
    const intents = query.intents.slice(0, MAX_INTENTS);
    const options = {
      limit: Math.floor(Math.min(limit, MAX_LIMIT)),
      isSplit: intents.length === 1,
      statistics: this.#statisticsFor(query),
      accepts: (entry: Indexed) => isAccepted(entry, query),
      factorOf: (entry: Indexed) =>
        evidenceFactor(evidenceOf?.(entry.id), usedBefore?.has(entry.id) ?? false, now),
    };
    const ranked = intents.map((intent, at) =>
      rankIntent(this.#lexical, intent, { ...options, meaning: this.#visible(meanings?.[at], query) }),
    );
    return mergeIntents(ranked, options.limit);
  }

  #statisticsFor({ user, population }: DiscoveryQuery): TermStatistics {
    if (!population) return this.#lexical.statisticsFor(user);
    const { tools, capabilities } = population;
    const isAll = capabilities === 'all';
    const counted = [
      this.#countsOfTools(tools),
      ...(isAll ? [] : [this.#lexical.countTerms(this.#slotsOf(capabilities))]),
    ];
    return this.#lexical.statisticsWithin(counted, user, isAll);
  }

  #countsOfTools(tools: Iterable<string> & object): TermCounts {
    const { generation } = this.#lexical;
    const known = this.#toolCounts.get(tools);
    if (known?.generation === generation) return known.counts;
    const counts = this.#lexical.countTerms(this.#slotsOf(tools));
    this.#toolCounts.set(tools, { generation, counts });
    return counts;
  }

  #slotsOf(ids: Iterable<string>): number[] {
    return Array.from(ids, (id) => this.#known.get(id)?.slot).filter((slot) => slot !== undefined);
  }

  /** Finds the closest entries in the index: some may be gone since they were compared. */
  #visible(of: Meaning | undefined, query: DiscoveryQuery) {
    return of && { of, nearest: of.nearest.flatMap((id) => this.#visibleSlot(id, query) ?? []) };
  }

  #visibleSlot(id: string, query: DiscoveryQuery): number | undefined {
    const slot = this.#known.get(id)?.slot;
    return slot !== undefined && isAccepted(this.#lexical.at(slot), query) ? slot : undefined;
  }

  /** Returns the size of the entry, in characters. */
  #set(source: string, entry: DiscoveryEntry): number {
    const content = contentOf(entry);
    const hash = createHash('sha1').update(content).digest('base64');
    const known = this.#known.get(entry.id);
    const isUnchanged = known?.hash === hash && known.source === source;
    if (isUnchanged) this.#lexical.at(known.slot).isHidden = false;
    else this.#add(source, entry, hash);
    return content.length;
  }

  #add(source: string, entry: DiscoveryEntry, hash: string): void {
    this.#drop(entry.id);
    this.#known.set(entry.id, { slot: this.#lexical.add(entry, analyseEntry(entry)), source, hash });
    this.#vectors?.add(entry);
    const ids = this.#sources.get(source);
    if (ids) ids.add(entry.id);
    else this.#sources.set(source, new Set([entry.id]));
  }

  #drop(id: string): void {
    const known = this.#known.get(id);
    if (!known) return;
    this.#known.delete(id);
    this.#lexical.remove(known.slot);
    this.#vectors?.remove(id);
    const ids = this.#sources.get(known.source);
    ids?.delete(id);
    if (ids?.size === 0) this.#sources.delete(known.source);
  }
}

/** All of an intent, and its clauses if it has several. */
function partsOf(intent: string): string[] {
  const text = readablePart(intent);
  const clauses = clausesOf(text);
  return clauses.length > 1 ? [text, ...clauses] : [text];
}

function isAccepted(entry: Indexed, { kind, server, user, accepts }: DiscoveryQuery): boolean {
  return (
    !entry.isHidden &&
    (entry.only === undefined || entry.only === user) &&
    (kind === undefined || entry.kind === kind) &&
    (server === undefined || entry.server === server) &&
    (accepts === undefined || accepts(entry.id))
  );
}

function contentOf(entry: DiscoveryEntry): string {
  const { id, kind, server, name, title, description, tags, inputSchema, calls, intents, only } = entry;
  return JSON.stringify([
    id,
    kind,
    server,
    name,
    title,
    description,
    tags,
    inputSchema,
    calls,
    intents,
    only,
  ]);
}
