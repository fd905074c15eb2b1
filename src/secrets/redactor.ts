import { findSecrets, joined, type Span } from './find-secrets.ts';
import {
  HIDDEN,
  hideAll,
  hideSome,
  isAfterSecretFlag,
  MAX_DEPTH,
  mapTexts,
  secretsIn,
} from './json-secrets.ts';
import { namesSecret, namesSeveral } from './secret-keys.ts';
import { tokenAfterScheme } from './secret-settings.ts';
import { shorten } from './shorten.ts';

/** Shorter values stand in innocent text by chance: in sentences more often than in data, and keys are words. */
const SHORTEST = { sentence: 6, value: 4, key: 12 } as const;
type Place = keyof typeof SHORTEST;

/** Under these a schema or a list holds names by which something is found. */
const NAMES: ReadonlySet<string> = new Set([
  'name',
  'type',
  'required',
  'format',
  '$ref',
  '$schema',
  '$id',
  'uri',
]);
/** More secrets than these are learnt of no run; then nothing of it is stored. */
const MOST_LEARNT = 100;
/** A secret that begins before a cut must be recognised: no shape needs to be seen further. */
const LOOK_AHEAD = 1024;
/** Hiding one secret may uncover that what stood beside it is another. */
const MOST_ROUNDS = 4;

export interface KnownSecrets {
  readonly forms: readonly string[];
  readonly given: readonly string[];
  readonly learnt: number;
}

/**
 * Hides secrets in what is stored, logged or shown: values that are known to be secret, what stands under a key or after a
 * word that names a secret, and what has the shape of one. Rather too much is hidden than too little. What is hidden stays
 * as it is when it is hidden again.
 */
export class Redactor {
  /** All known values in every form they are written in, the longest first: one may hold another. */
  #forms: readonly string[] = [];
  /** Those that were given, not learnt. */
  #given: readonly string[] = [];
  #learnt = 0;

  constructor(known: readonly string[] = []) {
    this.add(known);
  }

  /** Values that nobody may read. */
  add(values: readonly string[]): void {
    this.#given = withForms(this.#given, values);
    this.#forms = withForms(this.#forms, values);
  }

  /** One for a single run, which learns the secrets of that run. */
  fork(): Redactor {
    const copy = new Redactor();
    copy.#forms = this.#forms;
    copy.#given = this.#given;
    return copy;
  }

  /** What it knows, as plain data: for another thread. */
  get known(): KnownSecrets {
    return { forms: this.#forms, given: this.#given, learnt: this.#learnt };
  }

  static of({ forms, given, learnt }: KnownSecrets): Redactor {
    const copy = new Redactor();
    copy.#forms = forms;
    copy.#given = given;
    copy.#learnt = learnt;
    return copy;
  }

  /** Takes note of what stands under secret keys in the data of a run: it is secret wherever else it stands. */
  learn(data: unknown): void {
    if (typeof data !== 'object' || data === null || this.isFull) return;
    const found = secretsIn(data);
    this.#learnt += found.length;
    if (found.length > 0) this.#forms = withForms(this.#forms, found.slice(0, MOST_LEARNT));
  }

  /** As `learn`, and also of what has the shape of a secret. */
  learnThoroughly(data: unknown): void {
    this.learn(data);
    const found = new Set<string>();
    mapTexts(data, (text) => {
      for (const { start, end } of findSecrets(text)) found.add(text.slice(start, end));
      return text;
    });
    this.#learnt += found.size;
    this.#forms = withForms(this.#forms, [...found].slice(0, MOST_LEARNT));
  }

  /** There were more secrets than can be looked for. */
  get isFull(): boolean {
    return this.#learnt > MOST_LEARNT;
  }

  /** A text of words without secrets; at most `max` characters of it. None is cut in two and so missed. */
  text(text: string, max = Infinity): string {
    if (this.isFull) return HIDDEN;
    const margin = Math.max(LOOK_AHEAD, this.#forms[0]?.length ?? 0);
    const isLong = text.length > max + margin;
    const clean = this.#hide(isLong ? text.slice(0, max + margin) : text, 'sentence');
    if (!isLong && clean.length <= max) return clean;
    const short = shorten(clean, isLong ? Math.min(max, clean.length - margin) : max);
    // The cut may have made a secret of what was none.
    return shorten(this.#hide(short, 'sentence'), max);
  }

  /** Data of a run without secrets: by key, by shape, and wherever a known one stands. */
  json<T>(data: T): T {
    return this.isFull ? (HIDDEN as T) : (this.#json(data) as T);
  }

  /** A schema, or what a server lists: a key says nothing of its value, and names must stay what they are. */
  schema<T>(data: T): T {
    return mapTexts(data, (text, key) => (NAMES.has(key ?? '') ? text : this.#hide(text, 'sentence'))) as T;
  }

  /** Whether a text holds a given value of at least this length. */
  containsKnownSecret(text: string, shortest: number): boolean {
    return this.#given.some((form) => form.length >= shortest && text.includes(form));
  }

  #json(data: unknown, depth = 0): unknown {
    if (typeof data === 'string') return this.#hide(data, 'value');
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
    return this.#json(namesSeveral(key) ? hideSome(value) : value, depth);
  }

  #hide(text: string, place: Place): string {
    let clean = text;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const before = clean;
      clean = without(clean, joined([...this.#known(clean, place), ...findSecrets(clean)]));
      if (clean === before) break;
    }
    return clean;
  }

  #known(text: string, place: Place): Span[] {
    const found: Span[] = [];
    for (const form of this.#forms) {
      if (form.length < SHORTEST[place]) break;
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length))
        found.push({ start: at, end: at + form.length });
    }
    return found;
  }
}

/** Knows no values: hides by names and shapes alone. */
const SHAPES_ALONE = new Redactor();

/** A schema without what looks like a secret. */
export function hideSecretsInSchema<T>(data: T): T {
  return SHAPES_ALONE.schema(data);
}

/** A text of words without what looks like a secret; at most `max` characters of it. */
export function hideSecrets(text: string, max?: number): string {
  return SHAPES_ALONE.text(text, max);
}

/** How a value may be written: in JSON, in a URL, line by line, without the scheme of a header. */
function formsOf(value: string): string[] {
  const token = tokenAfterScheme(value);
  const lines = value.includes('\n') ? value.split(/\r?\n/) : [];
  const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
  return [
    ...forms,
    ...lines.filter(({ length }) => length >= SHORTEST.sentence),
    ...(token === undefined ? [] : formsOf(token)),
  ];
}

function withForms(known: readonly string[], values: readonly string[]): readonly string[] {
  const all = new Set(known);
  for (const form of values.flatMap(formsOf)) if (form.length >= SHORTEST.value) all.add(form);
  return all.size > known.length ? [...all].sort((a, b) => b.length - a.length) : known;
}

function without(text: string, spans: readonly Span[]): string {
  let clean = '';
  let at = 0;
  for (const { start, end } of spans) {
    clean += text.slice(at, start) + HIDDEN;
    at = end;
  }
  return clean + text.slice(at);
}
