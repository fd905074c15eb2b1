import { isJsonSchema } from '../json.ts';
import type { DiscoveryEntry, DiscoveryHit, DiscoveryQuery } from './entry.ts';

/** Below this score nothing fits. */
export const NOTHING_FITS = 0.25;

const MAX_WORDS = 400;
const WEIGHTS = { name: 3, server: 1, text: 1, parameters: 0.5 };

interface Indexed {
  entry: DiscoveryEntry;
  source: string | undefined;
  words: ReadonlyMap<string, number>;
  length: number;
}

/** Finds entries by the words they share with an intent (BM25). */
export class DiscoveryIndex {
  readonly #entries = new Map<string, Indexed>();
  readonly #postings = new Map<string, Set<string>>();
  /** How many entries each user alone may know of; those of all under undefined. */
  readonly #counts = new Map<string | undefined, number>();

  replace(source: string, entries: readonly DiscoveryEntry[]): void {
    const kept = new Set(entries.map(({ id }) => id));
    for (const [id, known] of this.#entries) if (known.source === source && !kept.has(id)) this.remove(id);
    for (const entry of entries) this.#put(entry, source);
  }

  put(entry: DiscoveryEntry): void {
    this.#put(entry, this.#entries.get(entry.id)?.source);
  }

  remove(id: string): void {
    const known = this.#entries.get(id);
    if (!known) return;
    for (const word of known.words.keys()) this.#postings.get(word)?.delete(id);
    this.#entries.delete(id);
    this.#counts.set(known.entry.only, (this.#counts.get(known.entry.only) ?? 0) - 1);
  }

  search(query: DiscoveryQuery): DiscoveryHit[] {
    const ranked = query.intents.map((intent, at) => this.#rank(intent, at, query));
    const best = new Map<string, DiscoveryHit>();
    for (let place = 0; best.size < query.limit && ranked.some((hits) => place < hits.length); place++) {
      for (const hits of ranked) {
        const hit = hits[place];
        if (hit && !best.has(hit.id) && best.size < query.limit) best.set(hit.id, hit);
      }
    }
    return [...best.values()].sort((a, b) => b.score - a.score);
  }

  #put(entry: DiscoveryEntry, source: string | undefined): void {
    this.remove(entry.id);
    const words = weigh(entry);
    const length = [...words.values()].reduce((sum, weight) => sum + weight, 0);
    this.#entries.set(entry.id, { entry, source, words, length });
    this.#counts.set(entry.only, (this.#counts.get(entry.only) ?? 0) + 1);
    for (const word of words.keys()) {
      const posting = this.#postings.get(word) ?? new Set();
      this.#postings.set(word, posting.add(entry.id));
    }
  }

  #rank(intent: string, at: number, query: DiscoveryQuery): DiscoveryHit[] {
    const scores = new Map<string, number>();
    let most = 0;
    const visible = new Set([undefined, query.user]);
    const total = [...visible].reduce((sum, user) => sum + (this.#counts.get(user) ?? 0), 0);
    for (const word of new Set(wordsOf(intent))) {
      const seen = [...(this.#postings.get(word) ?? [])].flatMap((id) => this.#seen(id, query.user) ?? []);
      const idf = Math.log(1 + (total + 1) / (seen.length + 0.5));
      most += idf;
      for (const { entry, words, length } of seen) {
        const weight = words.get(word) ?? 0;
        const part = (idf * weight * 2.2) / (weight + 0.6 + length / 100);
        scores.set(entry.id, (scores.get(entry.id) ?? 0) + Math.min(part, idf));
      }
    }
    return [...scores]
      .filter(([id]) => this.#fits(id, query))
      .map(([id, score]) => ({ id, intent: at, score: (score / most) * factorOf(id, query) }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .slice(0, query.limit);
  }

  #seen(id: string, user: string | undefined): Indexed | undefined {
    const known = this.#entries.get(id);
    const only = known?.entry.only;
    return only === undefined || only === user ? known : undefined;
  }

  #fits(id: string, { kind, server, accepts }: DiscoveryQuery): boolean {
    const entry = this.#entries.get(id)?.entry;
    if ((kind && entry?.kind !== kind) || (server !== undefined && entry?.server !== server)) return false;
    return accepts?.(id) ?? true;
  }
}

function factorOf(id: string, { evidenceOf, usedBefore }: DiscoveryQuery): number {
  const evidence = evidenceOf?.(id);
  const known = usedBefore?.has(id) ? 1 : 0.98;
  if (!evidence) return known;
  return (
    known * (evidence.isStale ? 0.5 : 1) * (evidence.usesTools ? 1 : 0.97) * (evidence.isNamed ? 1 : 0.9)
  );
}

function weigh({
  name,
  server,
  title = '',
  description,
  tags = [],
  intents = [],
  inputSchema,
}: DiscoveryEntry) {
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  add(name, WEIGHTS.name);
  add(server, WEIGHTS.server);
  add([title, description, ...tags, ...intents].join(' '), WEIGHTS.text);
  const properties = isJsonSchema(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  add(properties.slice(0, MAX_WORDS).join(' '), WEIGHTS.parameters);
  return words;
}

function wordsOf(text: string): string[] {
  const words = text
    .slice(0, 20_000)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words
    .filter((word) => word.length > 1)
    .slice(0, MAX_WORDS)
    .map((word) => word.replace(/s$/, ''));
}
