import { createHash } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { hideSecrets } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import { withTimeout } from '../../with-timeout.ts';
import type { DiscoveryEntry } from '../entry.ts';
import { wordsOf } from '../text/words.ts';
import type { Embedder } from './embedder.ts';
import { averageSimilarity, compare, type Meaning, UNRELATED_TEXTS } from './meaning.ts';
import { QueryVectors } from './query-vectors.ts';
import { fromBytes, type SmallVector, smallVector } from './small-vector.ts';
import { readVectors, storeVectors } from './stored-vectors.ts';

export interface VectorsOptions {
  db: Queryable;
  log: Log;
  /** Opens the model, in the background. Called again some time after a failure. */
  open: () => Promise<Embedder>;
  /** Hides secrets and cuts to a length. Every text that the model gets went through it. */
  redact?: (text: string, max: number) => string;
  /** How long a search waits for the vector of its intent. */
  queryMs?: number;
  /** How long a model that failed is left alone at first. */
  retryMs?: number;
}

const READ_AT_ONCE = 100;
const MADE_AT_ONCE = 8;
const MAX_TEXT = 1000;
/** How many of its callees the text of a capability names. */
const MAX_CALLS = 6;
const QUERY_MS = 150;
const RETRY_MS = 30_000;
const MAX_RETRY_MS = 3_600_000;
/** The vectors of 125,000 entries for a small model. Entries beyond it are found by words. */
const MAX_BYTES = 96 * 1024 * 1024;

interface PendingText {
  id: string;
  /** The index of this text among the texts of the entry. */
  part: number;
  hash: string;
  text: string;
}

/** Who asks, and which entries it may see. */
export interface Asked {
  user: string | undefined;
  accepts: (id: string) => boolean;
}

/** A model that can be asked. */
interface Opened {
  embedder: Embedder;
  /** The similarity of unrelated texts. */
  unrelated: number;
}

/**
 * The vectors of the entries. They are read from the store or made in the background; until then, and if the model
 * fails, there is none and searches use words alone.
 */
export class Vectors {
  readonly #options: VectorsOptions;
  readonly #vectors = new Map<string, readonly SmallVector[]>();
  readonly #wanted = new Map<string, PendingText>();
  readonly #queries = new QueryVectors();
  #opened: Opened | undefined;
  #work: Promise<void> | undefined;
  #bytes = 0;
  #failures = 0;
  #retryAt = 0;
  #isClosed = false;

  constructor(options: VectorsOptions) {
    this.#options = options;
  }

  /** Queues the texts of an entry for the model; the vectors of its former texts are dropped. */
  add(entry: DiscoveryEntry): void {
    this.remove(entry.id);
    if (this.#isClosed) return;
    for (const [part, whole] of textsOf(entry).entries()) {
      const text = this.#redact(whole);
      const hash = createHash('sha256').update(text).digest('base64');
      this.#wanted.set(keyOf(entry.id, part), { id: entry.id, part, hash, text });
    }
    this.#start();
  }

  remove(id: string): void {
    for (let part = 0; part < TEXTS; part++) this.#wanted.delete(keyOf(id, part));
    const known = this.#vectors.get(id) ?? [];
    this.#bytes -= known.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.#vectors.delete(id);
  }

  /** Resolves when nothing is left to make, or the model has failed. */
  async settled(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /**
   * Tells how close the entries are to each of several intents, which are given as clauses. Undefined if there is no model
   * yet, or it is slow.
   */
  async meaningsOf(intents: readonly (readonly string[])[], asked: Asked): Promise<Meaning[] | undefined> {
    const opened = this.#opened;
    this.#start();
    if (!opened || this.#isClosed) return undefined;
    const { queryMs = QUERY_MS } = this.#options;
    const texts = intents.map((clauses) => clauses.map((clause) => this.#redact(clause)));
    const made = this.#queries
      .of(texts.flat(), asked.user, opened.embedder)
      .catch((error) => this.#fail(error, opened));
    const vectors = (await withTimeout(made, queryMs))?.values();
    if (!vectors) return undefined;
    const meanings: Meaning[] = [];
    // One after the other, so that each turn stays short.
    for (const clauses of texts) {
      const wanted = clauses.map(() => vectors.next().value as SmallVector);
      meanings.push(await compare(wanted, this.#vectors, { unrelated: opened.unrelated, ...asked }));
    }
    return meanings;
  }

  /** Ends the background work after the current batch. */
  close(): void {
    this.#isClosed = true;
    this.#wanted.clear();
  }

  #redact(text: string): string {
    return (this.#options.redact ?? hideSecrets)(text, MAX_TEXT);
  }

  #start(): void {
    const isIdle = this.#opened && this.#wanted.size === 0;
    if (this.#work || this.#isClosed || isIdle || Date.now() < this.#retryAt) return;
    this.#work = this.#makeAll();
  }

  async #makeAll(): Promise<void> {
    let opened = this.#opened;
    try {
      // Entries come one by one; those of one turn are read together.
      await Promise.resolve();
      opened ??= await this.#open();
      this.#opened = opened;
      while (this.#wanted.size > 0) await this.#makeSome(opened.embedder);
      this.#failures = 0;
    } catch (error) {
      this.#fail(error, opened);
    } finally {
      this.#work = undefined;
    }
  }

  async #open(): Promise<Opened> {
    const embedder = await this.#options.open();
    const vectors = (await embedder.embed(UNRELATED_TEXTS)).map(smallVector);
    return { embedder, unrelated: averageSimilarity(vectors) };
  }

  async #makeSome(embedder: Embedder): Promise<void> {
    const { db } = this.#options;
    const some = firstOf(this.#wanted.values(), READ_AT_ONCE);
    const hashes = some.map(({ hash }) => hash);
    const known = await readVectors(db, embedder.model, hashes);
    const missing: PendingText[] = [];
    for (const one of some) {
      const bytes = known.get(one.hash);
      if (bytes?.length === embedder.dimensions) this.#keep(one, fromBytes(bytes));
      else missing.push(one);
    }
    for (let at = 0; at < missing.length && !this.#isClosed; at += MADE_AT_ONCE)
      await this.#make(embedder, missing.slice(at, at + MADE_AT_ONCE));
  }

  async #make(embedder: Embedder, batch: readonly PendingText[]): Promise<void> {
    const made = (await embedder.embed(batch.map(({ text }) => text))).map(smallVector);
    for (const [index, vector] of made.entries()) this.#keep(batch[index] as PendingText, vector);
    const rows = batch.map(({ hash }, index) => [hash, (made[index] as SmallVector).bytes] as const);
    if (!this.#isClosed) await storeVectors(this.#options.db, embedder.model, new Map(rows));
  }

  /** An entry that was changed or removed meanwhile does not get the vector of its old text. */
  #keep({ id, part, hash }: PendingText, vector: SmallVector): void {
    const key = keyOf(id, part);
    if (this.#wanted.get(key)?.hash !== hash) return;
    this.#wanted.delete(key);
    if (this.#bytes + vector.bytes.length > MAX_BYTES) return;
    this.#bytes += vector.bytes.length;
    this.#vectors.set(id, [...(this.#vectors.get(id) ?? []), vector]);
  }

  /** The model is left alone for a while, longer after each failure. Vectors that were made stay. */
  #fail(error: unknown, failed: Opened | undefined): undefined {
    if (this.#isClosed || failed !== this.#opened) return;
    const { log, retryMs = RETRY_MS } = this.#options;
    if (this.#failures === 0)
      log.warn(`discovery uses words alone for now, since embeddings failed: ${reasonOf(error)}`);
    this.#opened = undefined;
    this.#queries.clear();
    this.#retryAt = Date.now() + Math.min(MAX_RETRY_MS, retryMs * 2 ** this.#failures);
    this.#failures += 1;
  }
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) if (first.push(item) === count) break;
  return first;
}

/** How many texts an entry has. */
const TEXTS = 2;
/** A first sentence that is longer is cut. */
const MAX_SUMMARY = 300;
const CUT_SUMMARY = 200;
const SENTENCE_END = /[.!?](?=\s|$)/;

function keyOf(id: string, part: number): string {
  return `${part} ${id}`;
}

/** Returns the whole text of an entry, and its name with the first sentence: a long description hides its purpose. */
function textsOf(entry: DiscoveryEntry): string[] {
  const { name, description } = entry;
  const end = SENTENCE_END.exec(description.slice(0, MAX_SUMMARY + 1))?.index;
  const summary = description.slice(0, end === undefined ? CUT_SUMMARY : end + 1);
  return [textOf(entry), `${plainWords(name)}: ${summary}`];
}

/** Names are written as words, since models have not learned `getUserById`. */
function textOf({ server, name, title, description, calls = [] }: DiscoveryEntry): string {
  const called = calls.slice(0, MAX_CALLS).map((callee) => plainWords(callee));
  const uses = called.length > 0 ? ` (${called.join(', ')})` : '';
  return `${server} ${plainWords(name)} ${title ?? ''}: ${description}${uses}`;
}

function plainWords(name: string): string {
  return wordsOf(name, 40)
    .map(({ text }) => text)
    .join(' ');
}

/** `fetch` tells the reason only in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
  return `${messageOf(error)}${cause}`;
}
