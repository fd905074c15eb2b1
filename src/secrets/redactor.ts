import { findSecrets, mergeSpans, type Span } from './find-secrets.ts';
import {
  HIDDEN,
  hideAll,
  hidePossibleSecrets,
  isAfterSecretFlag,
  MAX_DEPTH,
  mapTexts,
  secretsIn,
} from './json-secrets.ts';
import { RecentSecrets } from './recent-secrets.ts';
import { isWord, type KnownRunSecrets, type PassedCall, RunSecrets, SecretMatcher } from './run-secrets.ts';
import { namesPossibleSecrets, namesSecret } from './secret-keys.ts';
import { tokenAfterScheme } from './secret-settings.ts';
import { shorten } from './shorten.ts';

/** Shorter values occur in texts by chance, so they count only as whole words; the shortest not at all. */
const MIN_ANYWHERE = 6;
const MIN_LENGTH = 3;
/** Keys are words: only a value that is longer, or no word, is hidden in them. */
const MIN_IN_KEY = 12;
/** Where a text stands. Secrets of other runs are searched for in `text` alone: the `data` of a run may be large. */
type Context = 'text' | 'data' | 'key';

/** The keys of a schema or list item whose values are identifiers, which must not change. */
const IDENTIFIER_KEYS: ReadonlySet<string> = new Set([
  'name',
  'type',
  'required',
  'format',
  '$ref',
  '$schema',
  '$id',
  'uri',
]);
/** A run with more secrets is hidden as a whole. */
const MAX_LEARNT = 100;
/** Text read beyond a cut, to recognise a secret that begins before it. No shape needs more. */
const LOOK_AHEAD = 1024;
/** Hiding one secret may reveal another beside it. */
const MAX_ROUNDS = 4;

export interface KnownSecrets {
  readonly encodings: readonly string[];
  readonly given: readonly string[];
  readonly learnt: number;
  readonly run: KnownRunSecrets;
}

/**
 * Hides secrets in what is stored, logged or shown: known values, values under a key or after a word that names a secret,
 * and texts with the shape of one. When in doubt it hides. Redacting a redacted text changes nothing.
 */
export class Redactor {
  /** All known values in every encoding, the longest first, since one may contain another. */
  #encodings: readonly string[] = [];
  /** The encodings of values that were added, not learnt. */
  #given: readonly string[] = [];
  #learnt = new Set<string>();
  #learntBefore = 0;
  #run = new RunSecrets();
  /** Shared by all runs of a workspace. */
  #recent = new RecentSecrets();
  #onLearned: ((texts: readonly string[]) => void) | undefined;

  constructor(known: readonly string[] = []) {
    this.add(known);
  }

  /** Adds values that nobody may read. */
  add(values: readonly string[]): void {
    this.#given = addEncodings(this.#given, values);
    this.#encodings = addEncodings(this.#encodings, values);
  }

  /** Makes a redactor for a single run, which learns the secrets of that run. `onLearned` gets each of them. */
  fork(onLearned?: (texts: readonly string[]) => void): Redactor {
    const copy = new Redactor();
    copy.#encodings = this.#encodings;
    copy.#given = this.#given;
    copy.#recent = this.#recent;
    copy.#onLearned = onLearned;
    return copy;
  }

  /** Hides these values in texts for a while: what follows a run may quote its secrets. */
  hideRecent(texts: readonly string[]): void {
    this.#recent.add(texts);
  }

  /** The known secrets as plain data, to send them to another thread. */
  get known(): KnownSecrets {
    const learnt = this.#learnt.size;
    return { encodings: this.#encodings, given: this.#given, learnt, run: this.#run.known };
  }

  /** The secrets of the latest runs, to send them to another thread. */
  get recent(): string[] {
    return this.#recent.texts;
  }

  static of({ encodings, given, learnt, run }: KnownSecrets): Redactor {
    const copy = new Redactor();
    copy.#encodings = encodings;
    copy.#given = given;
    copy.#learntBefore = learnt;
    copy.#run = new RunSecrets(run);
    return copy;
  }

  /** Learns the values under secret keys in the data of a run: they are secret wherever they stand. */
  learn(data: unknown): void {
    if (typeof data === 'object' && data !== null && !this.isFull) this.#add(secretsIn(data));
  }

  /** As `learn`, and also learns texts with the shape of a secret. */
  learnThoroughly(data: unknown): void {
    this.learn(data);
    const found = new Set<string>();
    mapTexts(data, (text) => {
      for (const { start, end } of findSecrets(text)) found.add(text.slice(start, end));
      return text;
    });
    this.#add(found);
  }

  /** Learns the arguments that a run was given, or the result of a call; `from` says where they come from. */
  learnGiven(data: unknown, from: string): void {
    this.learn(data);
    this.#add(this.#run.noteGiven(data, from));
  }

  /** Learns the arguments of a call, by key, schema and shape, in data of any size. */
  learnPassed(data: unknown, from: string, call: PassedCall): void {
    this.learn(data);
    this.#add(this.#run.notePassed(data, from, call));
  }

  /** Learns the secrets that the redactor of another run has learnt. */
  learnFrom(other: Redactor): void {
    this.#add(other.#learnt);
  }

  /** Learns values that are known to be secret. */
  learnTexts(texts: readonly string[]): void {
    this.#add(texts);
  }

  /** The secrets of this run, with a matcher that finds them in its code. */
  get runSecrets(): { readonly matcher: SecretMatcher } & KnownRunSecrets {
    const { known } = this.#run;
    return { ...known, matcher: new SecretMatcher(known.secrets) };
  }

  /** True if there were more secrets than can be searched for. */
  get isFull(): boolean {
    return this.#learntBefore + this.#learnt.size > MAX_LEARNT;
  }

  #add(found: Iterable<string>): void {
    const added = [...found].filter((text) => !this.#learnt.has(text));
    if (added.length === 0) return;
    this.#recent.add(added);
    this.#onLearned?.(added);
    if (this.isFull) return;
    for (const text of added.slice(0, MAX_LEARNT + 1)) this.#learnt.add(text);
    this.#encodings = addEncodings(this.#encodings, added.slice(0, MAX_LEARNT));
  }

  /** Redacts a text and cuts it to `max` characters. A secret across the cut is recognised. */
  text(text: string, max = Infinity): string {
    if (this.isFull) return HIDDEN;
    const margin = Math.max(LOOK_AHEAD, this.#encodings[0]?.length ?? 0);
    const isLong = text.length > max + margin;
    const clean = this.#hide(isLong ? text.slice(0, max + margin) : text, 'text');
    if (!isLong && clean.length <= max) return clean;
    const short = shorten(clean, isLong ? Math.min(max, clean.length - margin) : max);
    // The cut text may have the shape of a secret where the whole text had not.
    return shorten(this.#hide(short, 'text'), max);
  }

  /** Redacts the data of a run: by key, by shape, and wherever a known secret stands. */
  json<T>(data: T): T {
    return this.isFull ? (HIDDEN as T) : (this.#json(data) as T);
  }

  /** Redacts a schema or the items of a server's list: keys tell nothing about values, and identifiers stay. */
  schema<T>(data: T): T {
    return mapTexts(data, (text, key) =>
      IDENTIFIER_KEYS.has(key ?? '') ? text : this.#hide(text, 'text'),
    ) as T;
  }

  /** True if a text holds an added value of at least this length. */
  containsKnownSecret(text: string, minLength: number): boolean {
    return this.#given.some((secret) => secret.length >= minLength && text.includes(secret));
  }

  /** True if a text holds a secret of this run, or of one that was not long ago. */
  containsRunSecret(text: string): boolean {
    return this.runSecrets.matcher.in(text) !== undefined || this.#recent.spansIn(text).length > 0;
  }

  #json(data: unknown, depth = 0): unknown {
    if (typeof data === 'string') return this.#hide(data, 'data');
    if (typeof data === 'number') return this.#knows(String(data)) ? HIDDEN : data;
    if (depth > MAX_DEPTH) return HIDDEN;
    if (Array.isArray(data))
      return data.map((one, at) => (isAfterSecretFlag(data, at) ? hideAll(one) : this.#json(one, depth + 1)));
    if (typeof data !== 'object' || data === null) return data;
    return Object.fromEntries(
      Object.entries(data).map(([key, one]) => [this.#hide(key, 'key'), this.#under(key, one, depth + 1)]),
    );
  }

  #under(key: string, value: unknown, depth: number): unknown {
    if (namesSecret(key)) return hideAll(value);
    return this.#json(namesPossibleSecrets(key) ? hidePossibleSecrets(value, key) : value, depth);
  }

  #hide(text: string, context: Context): string {
    let clean = text;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const before = clean;
      const known = [
        ...this.#findKnown(clean, context),
        ...(context === 'text' ? this.#recent.spansIn(clean) : []),
      ];
      clean = hideSpans(clean, mergeSpans([...known, ...findSecrets(clean)]));
      if (clean === before) break;
    }
    return clean;
  }

  #knows(text: string): boolean {
    return text.length >= MIN_LENGTH && this.#encodings.includes(text);
  }

  #findKnown(text: string, context: Context): Span[] {
    const found: Span[] = [];
    for (const secret of this.#encodings) {
      if (secret.length > text.length || (context === 'key' && !isHiddenInKeys(secret))) continue;
      for (
        let start = text.indexOf(secret);
        start !== -1;
        start = text.indexOf(secret, start + secret.length)
      ) {
        const end = start + secret.length;
        if (secret.length >= MIN_ANYWHERE || isWord(text, start, end)) found.push({ start, end });
      }
    }
    return found;
  }
}

function isHiddenInKeys(secret: string): boolean {
  return secret.length >= MIN_IN_KEY || (secret.length >= MIN_ANYWHERE && /\d/.test(secret));
}

/** Knows no values: hides by names and shapes alone. */
const WITHOUT_VALUES = new Redactor();

/** Redacts a schema, by names and shapes alone. */
export function hideSecretsInSchema<T>(data: T): T {
  return WITHOUT_VALUES.schema(data);
}

/** Redacts a text, by names and shapes alone, and cuts it to `max` characters. */
export function hideSecrets(text: string, max?: number): string {
  return WITHOUT_VALUES.text(text, max);
}

/** Lists the ways in which a value may be written: in JSON, in a URL, line by line, without the scheme of a header. */
function encodingsOf(value: string): string[] {
  const token = tokenAfterScheme(value);
  const lines = value.includes('\n') ? value.split(/\r?\n/) : [];
  const encodings = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
  return [
    ...encodings,
    ...lines.filter(({ length }) => length >= MIN_ANYWHERE),
    ...(token === undefined ? [] : encodingsOf(token)),
  ];
}

function addEncodings(known: readonly string[], values: readonly string[]): readonly string[] {
  const all = new Set(known);
  for (const encoding of values.flatMap(encodingsOf)) if (encoding.length >= MIN_LENGTH) all.add(encoding);
  return all.size > known.length ? [...all].sort((a, b) => b.length - a.length) : known;
}

function hideSpans(text: string, spans: readonly Span[]): string {
  let clean = '';
  let at = 0;
  for (const { start, end } of spans) {
    clean += text.slice(at, start) + HIDDEN;
    at = end;
  }
  return clean + text.slice(at);
}
