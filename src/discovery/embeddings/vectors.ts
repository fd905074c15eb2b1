import { createHash } from 'node:crypto';
import type { Log } from '../../log.ts';
import { hideSecrets } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import type { DiscoveryEntry } from '../entry.ts';
import { wordsOf } from '../text/words.ts';
import { type Embedder, fromBytes, type SmallVector, similarity, smallVector } from './embedder.ts';
import { readVectors, storeVectors } from './stored-vectors.ts';

export interface VectorsOptions {
  db: Queryable;
  log: Log;
  /** Opens the model. It is asked once, in the background. */
  open: () => Promise<Embedder>;
  /** How long a search waits for the vector of its intent. */
  queryMs?: number;
}

const READ_AT_ONCE = 500;
const MADE_AT_ONCE = 8;
const MAX_TEXT = 1000;
const QUERY_MS = 500;

interface Wanted {
  id: string;
  hash: string;
  text: string;
}

/**
 * The vectors of the entries. They are read from the store or made in the background; until then, and if the model
 * fails, there is none and searches use words alone.
 */
export class Vectors {
  readonly #options: VectorsOptions;
  readonly #vectors = new Map<string, SmallVector>();
  readonly #wanted = new Map<string, Wanted>();
  #embedder: Embedder | undefined;
  #work: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: VectorsOptions) {
    this.#options = options;
  }

  /** Has the vector of an entry made; the one of its former text is dropped. */
  add(entry: DiscoveryEntry): void {
    this.#vectors.delete(entry.id);
    if (this.#hasFailed) return;
    const text = textOf(entry);
    const hash = createHash('sha256').update(text).digest('base64');
    this.#wanted.set(entry.id, { id: entry.id, hash, text });
    this.#work ??= this.#makeAll();
  }

  remove(id: string): void {
    this.#wanted.delete(id);
    this.#vectors.delete(id);
  }

  /** Resolves when nothing is left to make. */
  async settled(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /**
   * Returns a function that tells how close an entry is to the clause of an intent that it is closest to. Undefined if
   * there is no model, or it is slow.
   */
  async closenessTo(clauses: readonly string[]): Promise<((id: string) => number | undefined) | undefined> {
    const embedder = this.#embedder;
    if (!embedder || this.#hasFailed) return undefined;
    const late = new Promise<undefined>((resolve) => {
      setTimeout(() => resolve(undefined), this.#options.queryMs ?? QUERY_MS).unref();
    });
    const made = embedder
      .embed(clauses.map((clause) => hideSecrets(clause, MAX_TEXT)))
      .catch((error: unknown) => this.#fail(error));
    const wanted = (await Promise.race([made, late]))?.map(smallVector);
    if (!wanted) return undefined;
    return (id) => {
      const vector = this.#vectors.get(id);
      return vector && Math.max(...wanted.map((one) => similarity(one, vector)));
    };
  }

  async #makeAll(): Promise<void> {
    try {
      // Entries come one by one; those of one turn are read together.
      await Promise.resolve();
      this.#embedder ??= await this.#options.open();
      while (this.#wanted.size > 0) await this.#makeSome(this.#embedder);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#work = undefined;
    }
  }

  async #makeSome(embedder: Embedder): Promise<void> {
    const { db } = this.#options;
    const some = [...this.#wanted.values()].slice(0, READ_AT_ONCE);
    const known = await readVectors(
      db,
      embedder.model,
      some.map(({ hash }) => hash),
    );
    const missing: Wanted[] = [];
    for (const one of some) {
      const bytes = known.get(one.hash);
      if (bytes?.length === embedder.dimensions) this.#keep(one, fromBytes(bytes));
      else missing.push(one);
    }
    for (let at = 0; at < missing.length; at += MADE_AT_ONCE) {
      const batch = missing.slice(at, at + MADE_AT_ONCE);
      const made = (await embedder.embed(batch.map(({ text }) => text))).map(smallVector);
      for (const [index, vector] of made.entries()) this.#keep(batch[index] as Wanted, vector);
      const rows = batch.map(({ hash }, index) => [hash, (made[index] as SmallVector).bytes] as const);
      await storeVectors(db, embedder.model, new Map(rows));
    }
  }

  /** An entry that was changed or removed meanwhile does not get the vector of its old text. */
  #keep({ id, hash }: Wanted, vector: SmallVector): void {
    if (this.#wanted.get(id)?.hash !== hash) return;
    this.#wanted.delete(id);
    this.#vectors.set(id, vector);
  }

  #fail(error: unknown): undefined {
    if (!this.#hasFailed)
      this.#options.log.warn(`discovery uses words alone, since embeddings failed: ${messageOf(error)}`);
    this.#hasFailed = true;
    this.#wanted.clear();
    this.#vectors.clear();
  }
}

/** Names are written as words, since models have not learned `getUserById`. */
function textOf({ server, name, title, description }: DiscoveryEntry): string {
  const words = wordsOf(name, 40).map(({ text }) => text);
  return hideSecrets(`${server} ${words.join(' ')} ${title ?? ''}: ${description}`, MAX_TEXT);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
