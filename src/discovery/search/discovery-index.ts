import { createHash } from 'node:crypto';
import type { DiscoveryEntry, DiscoveryHit, DiscoveryQuery } from '../entry.ts';
import { analyseEntry } from '../lexical/document.ts';
import { type Indexed, LexicalIndex } from '../lexical/lexical-index.ts';
import { evidenceFactor } from './evidence.ts';
import { mergeIntents } from './merge-intents.ts';
import { rankIntent } from './rank-intent.ts';
import { type Replacement, Replacements } from './replacements.ts';

const MAX_INTENTS = 16;

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
  readonly #replacements = new Replacements((replacement, entry) => this.#take(replacement, entry));

  get size(): number {
    return this.#known.size;
  }

  /** Replaces the entries of one source (a server, or the capabilities). Unchanged ones cost a hash comparison. */
  replace(source: string, entries: readonly DiscoveryEntry[]): void {
    const listed = new Set(entries.map(({ id }) => id));
    for (const [id, known] of this.#known) if (known.source === source && !listed.has(id)) this.#drop(id);
    this.#replacements.start(source, entries);
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

  /** Finds the entries that answer the intents, best first. */
  search(query: DiscoveryQuery): DiscoveryHit[] {
    const { limit, kind, server, user, accepts, evidenceOf, usedBefore, now = Date.now() } = query;
    if (limit < 1) return [];
    const intents = query.intents.slice(0, MAX_INTENTS);
    const options = {
      limit,
      isSplit: intents.length === 1,
      accepts: ({ id, only, ...entry }: Indexed) =>
        (only === undefined || only === user) &&
        (kind === undefined || entry.kind === kind) &&
        (server === undefined || entry.server === server) &&
        (accepts === undefined || accepts(id)),
      factorOf: (entry: Indexed) =>
        evidenceFactor(entry.kind, evidenceOf?.(entry.id), usedBefore?.has(entry.id) ?? false, now),
    };
    const ranked = intents.map((intent) => rankIntent(this.#lexical, intent, options));
    return mergeIntents(ranked, limit);
  }

  #take({ source, superseded }: Replacement, entry: DiscoveryEntry): number {
    return superseded.has(entry.id) ? 0 : this.#set(source, entry);
  }

  /** Returns the size of the entry, in characters. */
  #set(source: string, entry: DiscoveryEntry): number {
    const content = contentOf(entry);
    const hash = createHash('sha1').update(content).digest('base64');
    const known = this.#known.get(entry.id);
    if (known?.hash === hash) {
      known.source = source;
      return content.length;
    }
    this.#drop(entry.id);
    this.#known.set(entry.id, { slot: this.#lexical.add(entry, analyseEntry(entry)), source, hash });
    return content.length;
  }

  #drop(id: string): void {
    const known = this.#known.get(id);
    if (!known) return;
    this.#known.delete(id);
    this.#lexical.remove(known.slot);
  }
}

function contentOf(entry: DiscoveryEntry): string {
  const { id, kind, server, name, title, description, tags, inputSchema, intents, only } = entry;
  return JSON.stringify([id, kind, server, name, title, description, tags, inputSchema, intents, only]);
}
