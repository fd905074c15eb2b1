import { type FoundSecret, type HintsAt, secretsPassed } from './passed-secrets.ts';
import { isPlaceholder, namesSecret } from './secret-keys.ts';

/** A secret that passed through a run. */
export interface RunSecret {
  readonly text: string;
  /** The key that it arrived under: the name of the parameter that it becomes. */
  readonly key: string;
  /** Who got or gave it, and where: `x:login password`. */
  readonly from: string;
  /**
   * Where the run had it from. `given`: from its arguments or from a result. `made`: the code wrote or computed it. `unknown`:
   * the run had more data than was kept.
   */
  readonly origin: 'given' | 'made' | 'unknown';
}

/** The secrets of a run as plain data, to send them to another thread. */
export interface KnownRunSecrets {
  readonly secrets: readonly RunSecret[];
  /** There were more than can be searched for. */
  readonly isFull: boolean;
}

/** The call whose arguments are searched. */
export interface PassedCall {
  readonly hintsAt?: HintsAt | undefined;
  /** A capability makes the call, not the code that was sent. */
  readonly isNested: boolean;
  /** The call goes to a capability, whose code may pass on what it gets. */
  readonly isHandedOn: boolean;
}

const MAX_SECRETS = 2000;
/** How much of a run's arguments and results is kept, in characters, to tell where a secret comes from. */
const MAX_KEPT = 4 * 1024 * 1024;
/** How many characters are searched in one run. */
const MAX_SEARCHED = 64 * 1024 * 1024;
/** A result is searched up to this many lists and objects. */
const MAX_CONTAINERS = 20_000;
/** Shorter texts do not count as parts of a secret. */
const MIN_PART = 4;

/** Collects the secrets of one run, and finds out where each came from as far as the size of the run allows. */
export class RunSecrets {
  readonly #secrets = new Map<string, RunSecret>();
  /** The texts and numbers that the run was given: its arguments, and the results of its calls. */
  readonly #given = new Set<string>();
  /** The texts that the run's own code handed to capabilities, whose code passes them on. */
  readonly #handedOn = new Set<string>();
  #keptLeft = MAX_KEPT;
  #searchLeft = MAX_SEARCHED;
  #isFull: boolean;

  constructor({ secrets, isFull }: KnownRunSecrets = { secrets: [], isFull: false }) {
    for (const secret of secrets) this.#secrets.set(secret.text, secret);
    this.#isFull = isFull;
  }

  get known(): KnownRunSecrets {
    return { secrets: [...this.#secrets.values()], isFull: this.#isFull };
  }

  /** Notes the arguments of the run, or the result of a call. Returns the secrets among them that are new. */
  noteGiven(data: unknown, from: string): string[] {
    this.#keep(data, this.#given);
    return this.#add(secretsPassed(data, undefined, MAX_CONTAINERS), from, () => 'given');
  }

  /** Notes the arguments of a call. Returns the secrets among them that are new. */
  notePassed(data: unknown, from: string, call: PassedCall): string[] {
    if (call.isHandedOn && !call.isNested) this.#keep(data, this.#handedOn);
    const isOwn = (text: string) => !call.isNested || this.#handedOn.has(text);
    const originOf = (text: string) => (isOwn(text) ? this.#originOf(text) : 'given');
    return this.#add(secretsPassed(data, call.hintsAt), from, originOf);
  }

  #add(
    found: readonly FoundSecret[],
    from: string,
    originOf: (text: string) => RunSecret['origin'],
  ): string[] {
    const added: string[] = [];
    for (const { text, key, path, isDerived } of found) {
      if (this.#secrets.has(text)) continue;
      if (this.#secrets.size >= MAX_SECRETS) {
        this.#isFull = true;
        break;
      }
      const origin = isDerived ? 'given' : originOf(text);
      this.#secrets.set(text, { text, key, from: path === '' ? from : `${from} ${path}`, origin });
      added.push(text);
    }
    return added;
  }

  #originOf(secret: string): RunSecret['origin'] {
    if (this.#given.has(secret)) return 'given';
    this.#searchLeft -= MAX_KEPT - this.#keptLeft;
    const isKnown = this.#keptLeft > 0 && this.#searchLeft > 0;
    let rest = secret;
    if (isKnown || this.#searchLeft > 0) {
      for (const text of this.#given) {
        if (text.length > secret.length && text.includes(secret)) return 'given';
        if (isLargePart(text, secret)) rest = rest.replaceAll(text, '\0');
      }
    }
    if (rest !== secret && !rest.split('\0').some(isSubstantial)) return 'given';
    return isKnown ? 'made' : 'unknown';
  }

  /** Keeps the texts and numbers of data, while there is room. */
  #keep(data: unknown, into: Set<string>): void {
    const pending = [data];
    while (pending.length > 0 && this.#keptLeft > 0) {
      const value = pending.pop();
      if (typeof value === 'string' || typeof value === 'number') {
        const text = String(value);
        if (into.has(text)) continue;
        this.#keptLeft -= text.length + 16;
        into.add(text);
      } else if (typeof value === 'object' && value !== null) {
        this.#keptLeft -= 16;
        // Not spread: a list may be longer than the stack.
        for (const one of Object.values(value)) pending.push(one);
      }
    }
  }
}

function isLargePart(part: string, secret: string): boolean {
  return (
    part.length >= MIN_PART && (part.length >= 8 || part.length * 2 >= secret.length) && secret.includes(part)
  );
}

function isSubstantial(text: string): boolean {
  return /[A-Za-z0-9]{4}/.test(text);
}

/** The place of a known secret in a text. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly secret: RunSecret;
}

/** Shorter values are looked for as whole words, and the shortest only as whole texts. */
const MIN_ANYWHERE = 6;
const MIN_WORD = 4;

/** Finds the secrets of a run in the texts of code. */
export class SecretMatcher {
  readonly #byText: ReadonlyMap<string, RunSecret>;
  /** The secrets that may be a part of a text, the longest first, since one may contain another. */
  readonly #parts: readonly RunSecret[];

  constructor(secrets: readonly RunSecret[]) {
    this.#byText = new Map(secrets.map((secret) => [secret.text, secret]));
    this.#parts = secrets
      .filter(({ text }) => text.length >= MIN_WORD && !isPlainWord(text))
      .sort((a, b) => b.text.length - a.text.length);
  }

  /** Returns the secret that a value is, as a whole. */
  whole(value: string | number | bigint): RunSecret | undefined {
    return this.#byText.get(String(value));
  }

  /** Finds the secrets in a text, in order, without overlaps. */
  spansIn(text: string): SecretSpan[] {
    const found: SecretSpan[] = [];
    for (const secret of this.#parts) {
      const { length } = secret.text;
      for (
        let start = text.indexOf(secret.text);
        start !== -1;
        start = text.indexOf(secret.text, start + 1)
      ) {
        const end = start + length;
        // A number inside of a longer one is another number.
        if ((length < MIN_ANYWHERE || isDigits(secret.text)) && !isWord(text, start, end)) continue;
        if (!found.some((other) => start < other.end && other.start < end))
          found.push({ start, end, secret });
      }
    }
    return found.sort((a, b) => a.start - b.start);
  }

  /** True if a text mentions any secret as a word, be it a common one. */
  isMentionedIn(text: string): boolean {
    if (this.spansIn(text).length > 0) return true;
    return [...this.#byText.keys()].some((secret) => {
      const start = text.indexOf(secret);
      return start !== -1 && isWord(text, start, start + secret.length);
    });
  }

  /** Returns the secret that a text holds. */
  in(text: string): RunSecret | undefined {
    return this.whole(text) ?? this.spansIn(text)[0]?.secret;
  }
}

/** True for words that texts hold by chance, such as `password` and `test`: only a whole literal is compared with them. */
export function isPlainWord(text: string): boolean {
  return (
    /^[A-Za-z]{1,7}$/.test(text) || (/^[A-Za-z_]+$/.test(text) && (namesSecret(text) || isPlaceholder(text)))
  );
}

function isDigits(text: string): boolean {
  return /^\d+$/.test(text);
}

/** True if no letter or digit stands before or after. */
export function isWord(text: string, start: number, end: number): boolean {
  return !/[A-Za-z0-9]/.test(text[start - 1] ?? '') && !/[A-Za-z0-9]/.test(text[end] ?? '');
}
