import type { QueryChild } from '../protocol.ts';
import { type Dictionary, defineProperty, parse } from './intrinsics.ts';
import { makeSearchParams } from './search-params.ts';

const PARTS = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
];

/** `URL` and `URLSearchParams`. The child parses, with Node's own implementation. */
export function makeUrl(queryChild: QueryChild) {
  const { URLSearchParams, linkedParams } = makeSearchParams(queryChild);

  function partsOf(input: unknown, base: unknown): Dictionary<string> | undefined {
    const answer = queryChild('url', `${input}`, base === undefined ? undefined : `${base}`);
    return answer === undefined ? undefined : parse(answer as string);
  }

  class URL {
    #parts: Dictionary<string>;
    #linked: ReturnType<typeof linkedParams> | undefined;

    constructor(input: unknown, base?: unknown) {
      const parts = partsOf(input, base);
      if (!parts) throw new TypeError(`Invalid URL: ${input}`);
      this.#parts = parts;
    }
    static canParse(input: unknown, base?: unknown): boolean {
      return partsOf(input, base) !== undefined;
    }
    static parse(input: unknown, base?: unknown): URL | null {
      return partsOf(input, base) ? new URL(input, base) : null;
    }
    #set(key: string, value: string): void {
      const answer = queryChild('url-set', this.#parts.href as string, key, value);
      if (answer === undefined) throw new TypeError(`Invalid URL: ${value}`);
      this.#parts = parse(answer as string);
      this.#linked?.replace(this.#parts.search as string);
    }
    get origin(): string {
      return this.#parts.origin as string;
    }
    get searchParams() {
      this.#linked ??= linkedParams(this.#parts.search as string, (text) => this.#set('search', text));
      return this.#linked.params;
    }
    toString(): string {
      return this.#parts.href as string;
    }
    toJSON(): string {
      return this.#parts.href as string;
    }
    static {
      for (let i = 0; i < PARTS.length; i++) {
        const key = PARTS[i] as string;
        defineProperty(URL.prototype, key, {
          __proto__: null,
          get(this: URL) {
            return this.#parts[key];
          },
          set(this: URL, value: unknown) {
            this.#set(key, `${value}`);
          },
          enumerable: true,
          configurable: true,
        } as PropertyDescriptor);
      }
    }
  }
  return { URL, URLSearchParams };
}
