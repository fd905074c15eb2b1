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

/** Shorter secrets could not be told from other data. */
const MIN_LENGTH = 3;
/** The shapes of secrets are searched for in this much of each text, and of all texts together. */
const MAX_SHAPED = 4 * 1024;
const MAX_SHAPED_TOTAL = 64 * 1024;
/** How many properties of one place are remembered: keys may be data. */
const MAX_PLACES = 1000;
/** `{ name: "Authorization", value: "…" }` */
const NAME_KEYS = ['name', 'key', 'header', 'field', 'param', 'parameter', 'label'] as const;
const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'val', 'text', 'content']);
/** Keys whose values are not secret, even inside of `credentials: { … }`. */
const OPEN_INSIDE =
  /^(?:user|login|email|mail|type|kind|region|host|port|url|uri|scopes?|database|db|tenant|grant_?type|method|scheme|service|server|domain|provider|description|title|label|note|comment|status|state|role|permissions?|required|format|version)$|(?:name|id|url|type|at|date|time)$|^(?:expires|created|updated|issued)/i;

/** A place in a schema, where all items of a list are one. */
interface Place {
  readonly steps: readonly Step[];
  readonly hints: SecretHints | undefined;
  readonly properties: Map<string, Place>;
  item?: Place;
}

interface Container {
  readonly value: object;
  readonly key: string | undefined;
  /** The container that it stands in, and where. */
  readonly above: Container | undefined;
  readonly at: string | number;
  readonly place: Place | undefined;
  /** True inside of an object under a secret key. */
  readonly isInside: boolean;
}

/** Finds the secrets in data by key, schema, flag and shape, at any depth and in data of any size. */
export function secretsPassed(data: unknown, hintsAt?: HintsAt, maxContainers = Infinity): FoundSecret[] {
  return new Search(hintsAt, maxContainers).run(data);
}

class Search {
  readonly #found = new Map<string, FoundSecret>();
  readonly #hintsAt: HintsAt | undefined;
  readonly #maxContainers: number;
  #shapedLeft = MAX_SHAPED_TOTAL;

  constructor(hintsAt: HintsAt | undefined, maxContainers: number) {
    this.#hintsAt = hintsAt;
    this.#maxContainers = maxContainers;
  }

  run(data: unknown): FoundSecret[] {
    const isObject = typeof data === 'object' && data !== null;
    const value = isObject ? data : [data];
    const pending: Container[] = [
      {
        value,
        key: undefined,
        above: undefined,
        at: '',
        place: isObject ? this.#place([]) : undefined,
        isInside: false,
      },
    ];
    for (let at = 0; at < pending.length && at < this.#maxContainers; at += 1) {
      const container = pending[at] as Container;
      if (Array.isArray(container.value)) this.#list(container, container.value, pending);
      else this.#object(container, container.value as Record<string, unknown>, pending);
    }
    return [...this.#found.values()];
  }

  #list(container: Container, list: readonly unknown[], pending: Container[]): void {
    const { key, isInside } = container;
    const isPair = list.length === 2 && typeof container.at === 'number' && typeof list[0] === 'string';
    const place = this.#itemOf(container.place);
    for (let at = 0; at < list.length; at += 1) {
      const value = list[at];
      if (typeof value === 'object' && value !== null)
        pending.push({ value, key, above: container, at, place, isInside });
      else if (isLeaf(value)) {
        const own = flagBefore(list, at) ?? (isPair && at === 1 ? (list[0] as string) : key);
        this.#leaf(value, own, container, at, place);
      }
    }
  }

  #object(container: Container, object: Record<string, unknown>, pending: Container[]): void {
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (typeof value === 'object' && value !== null) {
        const isInside = container.isInside || (!Array.isArray(value) && namesSecret(key));
        const place = this.#propertyOf(container.place, key);
        pending.push({ value, key, above: container, at: key, place, isInside });
      } else if (isLeaf(value)) {
        const place = this.#propertyOf(container.place, key);
        this.#leaf(value, pairName(object, key) ?? key, container, key, place);
      }
    }
  }

  #place(steps: readonly Step[]): Place | undefined {
    return this.#hintsAt && { steps, hints: this.#hintsAt(steps), properties: new Map() };
  }

  #itemOf(place: Place | undefined): Place | undefined {
    if (!place) return undefined;
    const item = place.item ?? this.#place([...place.steps, 'item']);
    if (item) place.item = item;
    return item;
  }

  /** Returns undefined for a property without a schema: nothing below it has one either. */
  #propertyOf(place: Place | undefined, property: string): Place | undefined {
    if (!place) return undefined;
    const known = place.properties.get(property) ?? this.#place([...place.steps, { property }]);
    if (known && place.properties.size < MAX_PLACES) place.properties.set(property, known);
    return known?.hints ? known : undefined;
  }

  #leaf(
    value: string | number,
    key: string | undefined,
    container: Container,
    at: string | number,
    place: Place | undefined,
  ): void {
    const text = String(value);
    if (text.length < MIN_LENGTH || text === HIDDEN) return;
    const add = (secret: string, name: string, isDerived = false) => {
      if (secret.length < MIN_LENGTH || this.#found.has(secret)) return;
      this.#found.set(secret, { text: secret, key: name, path: pathOf(container, at), isDerived });
    };
    if (isSecretLeaf(value, key, container, at, place?.hints)) noteSecret(text, key ?? 'secret', add);
    else if (typeof value === 'string') this.#shapes(text, key, add);
    else if (!isId(key) && isCardNumber(text)) add(text, key ?? 'card_number');
  }

  #shapes(text: string, key: string | undefined, add: Add): void {
    if (isRandomWord(text, key) || (!isId(key) && isCardNumber(text))) add(text, key ?? 'secret');
    const searched = text.slice(0, Math.min(MAX_SHAPED, this.#shapedLeft));
    this.#shapedLeft -= searched.length;
    for (const { start, end } of findSecrets(searched)) add(searched.slice(start, end), key ?? 'secret');
  }
}

type Add = (secret: string, key: string, isDerived?: boolean) => void;

function isLeaf(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isSecretLeaf(
  value: string | number,
  key: string | undefined,
  container: Container,
  at: string | number,
  hints: SecretHints | undefined,
): boolean {
  const isNumber = typeof value === 'number';
  if (hints && isSecretSchema(hints)) return !isNumber || value > 99;
  if (typeof at === 'number' && isAfterSecretFlag(container.value as unknown[], at)) return true;
  if (key === undefined) return false;
  if (hints && mayNameSecret(key) && describesNameOfSecret(hints)) return false;
  if (isNumber ? isSecretNumber(key, value) : isSecretKey(key, tokenAfterScheme(value) ?? value)) return true;
  return container.isInside && !OPEN_INSIDE.test(key) && (!isNumber || value > 99);
}

/** Notes a secret without the scheme before it (`Bearer`), and the password of a login in base64 (`Basic`). */
function noteSecret(text: string, key: string, add: Add): void {
  const token = tokenAfterScheme(text);
  const password = token === undefined ? undefined : passwordOf(token);
  if (password !== undefined) add(password, 'password');
  add(token ?? text, key, password !== undefined);
}

/** Returns the way to a value: `auth.pin`, `headers[0].value`. */
function pathOf(container: Container, at: string | number): string {
  const steps: (string | number)[] = [at];
  for (let one: Container | undefined = container; one?.above; one = one.above) steps.unshift(one.at);
  return steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
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
