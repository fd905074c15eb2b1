import type { QueryChild } from '../protocol.ts';
import { isArray, keys, parse, put, stringify } from './intrinsics.ts';

type Pair = [name: string, value: string];

/** `URLSearchParams`, and a function that makes one which reports its changes to its URL. */
export function makeSearchParams(queryChild: QueryChild) {
  const parseQuery = (text: string): Pair[] => parse(queryChild('query', text) as string);
  let link: (params: URLSearchParams, onChange: (text: string) => void) => void;
  let replace: (params: URLSearchParams, text: string) => void;

  class URLSearchParams {
    #pairs: Pair[];
    #onChange: ((text: string) => void) | undefined;

    static {
      link = (params, onChange) => {
        params.#onChange = onChange;
      };
      replace = (params, text) => {
        params.#pairs = parseQuery(text);
      };
    }
    constructor(init: unknown = '') {
      this.#pairs = typeof init === 'object' && init !== null ? pairsOf(init) : parseQuery(`${init}`);
    }
    #change(pairs: Pair[]): void {
      this.#pairs = pairs;
      this.#onChange?.(this.toString());
    }
    get size(): number {
      return this.#pairs.length;
    }
    append(name: unknown, value: unknown): void {
      const pairs = this.#pairs;
      put(pairs, pairs.length, [`${name}`, `${value}`]);
      this.#change(pairs);
    }
    delete(name: unknown, value?: unknown): void {
      this.#change(this.#pairs.filter((pair) => !isPair(pair, name, value)));
    }
    get(name: unknown): string | null {
      return this.#pairs.find((pair) => isPair(pair, name))?.[1] ?? null;
    }
    getAll(name: unknown): string[] {
      return this.#pairs.filter((pair) => isPair(pair, name)).map((pair) => pair[1]);
    }
    has(name: unknown, value?: unknown): boolean {
      return this.#pairs.some((pair) => isPair(pair, name, value));
    }
    set(name: unknown, value: unknown): void {
      const pairs = this.#pairs;
      const found = pairs.findIndex((pair) => isPair(pair, name));
      const at = found < 0 ? pairs.length : found;
      const kept = pairs.filter((pair, i) => i <= at || !isPair(pair, name));
      put(kept, at, [`${name}`, `${value}`]);
      this.#change(kept);
    }
    sort(): void {
      this.#change(this.#pairs.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)));
    }
    forEach(callback: (value: string, name: string, params: URLSearchParams) => void): void {
      for (const [name, value] of this) callback(value, name, this);
    }
    *entries(): Generator<Pair> {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys(): Generator<string> {
      for (const pair of this.#pairs) yield pair[0];
    }
    *values(): Generator<string> {
      for (const pair of this.#pairs) yield pair[1];
    }
    [Symbol.iterator](): Generator<Pair> {
      return this.entries();
    }
    toString(): string {
      return queryChild('query-text', stringify(this.#pairs)) as string;
    }
  }

  function linkedParams(text: string, onChange: (text: string) => void) {
    const params = new URLSearchParams(text);
    link(params, onChange);
    return { params, replace: (search: string) => replace(params, search) };
  }
  return { URLSearchParams, linkedParams };
}

function isPair(pair: Pair, name: unknown, value?: unknown): boolean {
  return pair[0] === `${name}` && (value === undefined || pair[1] === `${value}`);
}

/** Reads pairs, or the members of an object. This is the guest's own data, so its own iterators apply. */
function pairsOf(init: object): Pair[] {
  if (Symbol.iterator in init) {
    return Array.from(init as Iterable<unknown>, (pair) => {
      const [name, value, ...more] = isArray(pair) ? pair : [];
      if (value === undefined || more.length > 0)
        throw new TypeError('Each query pair must be a name and a value');
      return [`${name}`, `${value}`];
    });
  }
  return keys(init).map((name) => [name, `${(init as Record<string, unknown>)[name]}`]);
}
