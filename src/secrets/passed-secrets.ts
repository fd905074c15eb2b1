import { isCardNumber } from './card-number.ts';
import { findSecrets } from './find-secrets.ts';
import { HIDDEN, isAfterSecretFlag } from './json-secrets.ts';
import { isRandomWord, isSecretKey, isSecretNumber, namesSecret } from './secret-keys.ts';
import { describesNameOfSecret, isSecretSchema, mayNameSecret, type SecretHints } from './secret-schema.ts';
import { tokenAfterScheme } from './secret-settings.ts';

/** A secret that stands in data, and where. */
export interface FoundSecret {
  readonly text: string;
  /** The key that it stands under. */
  readonly key: string;
  /** The way to it: `auth.pin`. */
  readonly path: string;
  /** True for a form of another secret, such as the base64 text of a login: whoever holds the other can make it. */
  readonly isDerived: boolean;
}

export type Step = { readonly property: string } | 'item';
/** Returns the schema of the value at a path. */
export type HintsAt = (path: readonly Step[]) => SecretHints | undefined;

/** Shorter values are no secrets that could be told from other data. */
const MIN_LENGTH = 3;
/** The shapes of secrets are searched for in this much of each text, and of all texts together. */
const MAX_SHAPED = 4 * 1024;
const MAX_SHAPED_TOTAL = 64 * 1024;
/** `{ name: "Authorization", value: "…" }` */
const NAME_KEYS = ['name', 'key', 'header', 'field', 'param', 'parameter', 'label'] as const;
const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'val', 'text', 'content']);
/** Keys of what is open inside of `credentials: { … }`. */
const OPEN_INSIDE =
  /^(?:user|login|email|mail|type|kind|region|host|port|url|uri|scopes?|database|db|tenant|grant_?type|method|scheme|service|server|domain|provider)$|(?:name|id|url|type)$/i;

/** Begin the steps of a place. */
const ITEM = '\0i';
const PROPERTY = '\0p';

interface Container {
  readonly value: object;
  readonly key: string | undefined;
  readonly path: string;
  /** The way to it in a schema, where all items of a list are one. */
  readonly place: string;
  /** True inside of an object under a secret key. */
  readonly isInside: boolean;
}

/** Finds the secrets in data by key, schema, flag and shape, at any depth and in data of any size. */
export function secretsPassed(data: unknown, hintsAt?: HintsAt, maxContainers = Infinity): FoundSecret[] {
  return new Search(hintsAt, maxContainers).run(data);
}

class Search {
  readonly #found = new Map<string, FoundSecret>();
  readonly #hints = new Map<string, SecretHints | undefined>();
  readonly #hintsAt: HintsAt | undefined;
  readonly #maxContainers: number;
  #shapedLeft = MAX_SHAPED_TOTAL;

  constructor(hintsAt: HintsAt | undefined, maxContainers: number) {
    this.#hintsAt = hintsAt;
    this.#maxContainers = maxContainers;
  }

  run(data: unknown): FoundSecret[] {
    const root = { key: undefined, path: '', place: '', isInside: false };
    if (typeof data !== 'object' || data === null) {
      this.#leaf(data, undefined, { ...root, value: [] }, 0);
      return [...this.#found.values()];
    }
    const pending: Container[] = [{ ...root, value: data }];
    for (let at = 0; at < pending.length && at < this.#maxContainers; at += 1) {
      const container = pending[at] as Container;
      if (Array.isArray(container.value)) this.#list(container, container.value, pending);
      else this.#object(container, container.value as Record<string, unknown>, pending);
    }
    return [...this.#found.values()];
  }

  #list(container: Container, list: readonly unknown[], pending: Container[]): void {
    const isPair = list.length === 2 && container.path.endsWith(']') && typeof list[0] === 'string';
    const place = container.place + ITEM;
    for (let at = 0; at < list.length; at += 1) {
      const value = list[at];
      const path = `${container.path}[${at}]`;
      const inner = { key: container.key, path, place, isInside: container.isInside };
      if (typeof value === 'object' && value !== null) pending.push({ ...inner, value });
      else {
        const key = flagBefore(list, at) ?? (isPair && at === 1 ? (list[0] as string) : container.key);
        this.#leaf(value, key, { ...inner, value: list }, at);
      }
    }
  }

  #object(container: Container, object: Record<string, unknown>, pending: Container[]): void {
    for (const key of Object.keys(object)) {
      const value = object[key];
      const place = container.place + PROPERTY + key;
      const path = container.path === '' ? key : `${container.path}.${key}`;
      const isObject = typeof value === 'object' && value !== null;
      const isInside = container.isInside || (isObject && !Array.isArray(value) && namesSecret(key));
      const inner = { key, path, place, isInside };
      if (isObject) pending.push({ ...inner, value });
      else this.#leaf(value, pairName(object, key) ?? key, { ...inner, value: object }, key);
    }
  }

  #leaf(value: unknown, key: string | undefined, at: Container, place: string | number): void {
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const text = String(value);
    if (text.length < MIN_LENGTH || text === HIDDEN) return;
    if (this.#isSecret(value, key, at, place)) this.#note(text, key, at.path);
    else if (typeof value === 'string') this.#shapes(text, key, at.path);
    else if (!isId(key) && isCardNumber(text)) this.#add(text, key ?? 'card_number', at.path);
  }

  #isSecret(value: string | number, key: string | undefined, at: Container, place: string | number): boolean {
    const hints = this.#hintsOf(at.place);
    const isNumber = typeof value === 'number';
    if (hints && isSecretSchema(hints)) return !isNumber || value > 99;
    if (typeof place === 'number' && isAfterSecretFlag(at.value as unknown[], place)) return true;
    if (key === undefined) return false;
    if (hints && mayNameSecret(key) && describesNameOfSecret(hints)) return false;
    if (isNumber ? isSecretNumber(key, value) : isSecretKey(key, tokenAfterScheme(value) ?? value))
      return true;
    return at.isInside && !OPEN_INSIDE.test(key) && (!isNumber || value > 99);
  }

  #hintsOf(place: string): SecretHints | undefined {
    if (!this.#hintsAt) return undefined;
    if (!this.#hints.has(place)) this.#hints.set(place, this.#hintsAt(stepsOf(place)));
    return this.#hints.get(place);
  }

  #shapes(text: string, key: string | undefined, path: string): void {
    if (isRandomWord(text, key) || (!isId(key) && isCardNumber(text))) this.#add(text, key ?? 'secret', path);
    const searched = text.slice(0, Math.min(MAX_SHAPED, this.#shapedLeft));
    this.#shapedLeft -= searched.length;
    for (const { start, end } of findSecrets(searched))
      this.#add(searched.slice(start, end), key ?? 'secret', path);
  }

  /** Notes a secret without the scheme before it, which tells nothing; of a login in base64, its password. */
  #note(text: string, key: string | undefined, path: string): void {
    const name = key ?? 'secret';
    const token = tokenAfterScheme(text);
    const password = token === undefined ? undefined : passwordOf(token);
    if (password !== undefined) this.#add(password, 'password', path);
    this.#add(token ?? text, name, path, password !== undefined);
  }

  #add(text: string, key: string, path: string, isDerived = false): void {
    if (text.length >= MIN_LENGTH && !this.#found.has(text))
      this.#found.set(text, { text, key, path, isDerived });
  }
}

function stepsOf(place: string): Step[] {
  const steps = place.split('\0').slice(1);
  return steps.map((step) => (step.startsWith('p') ? { property: step.slice(1) } : 'item'));
}

function isId(key: string | undefined): boolean {
  return key !== undefined && /(?:id|ids|uuid|ref|reference|tracking|timestamp)$/i.test(key);
}

/** Returns the name that stands beside a value: `Authorization` in `{ name: "Authorization", value: "…" }`. */
function pairName(object: Record<string, unknown>, key: string): string | undefined {
  if (!VALUE_KEYS.has(key)) return undefined;
  const name = NAME_KEYS.map((one) => object[one]).find((one) => typeof one === 'string');
  return name === undefined || /\s/.test(name as string) ? undefined : (name as string);
}

/** Returns `password` for the item after `--password`. */
function flagBefore(list: readonly unknown[], at: number): string | undefined {
  const flag = list[at - 1];
  return typeof flag === 'string' && /^--[\w-]+$/.test(flag) && namesSecret(flag) ? flag.slice(2) : undefined;
}

/** Returns the password of a login in base64, as in `Authorization: Basic …`. */
function passwordOf(token: string): string | undefined {
  if (token.length > 1000 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(token)) return undefined;
  const login = Buffer.from(token, 'base64').toString('latin1');
  return /^[\x20-\x7e]+$/.test(login) && login.includes(':')
    ? login.slice(login.indexOf(':') + 1)
    : undefined;
}
