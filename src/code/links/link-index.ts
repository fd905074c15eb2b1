import { isSameKey, type Telling } from './telling-value.ts';

/** A scalar of a call, by a token that stands for its value: the value itself, or a keyed hash of it. */
export interface TokenLeaf<Token> {
  readonly path: readonly (string | number)[];
  readonly token: Token;
  readonly telling: Telling;
}

/** The result of an earlier call that a value comes from, without indexes: `{ call: 0, path: ["auth", "token"] }`. */
export interface LinkSource {
  readonly call: number;
  readonly path: readonly string[];
}

/** Where a value was first seen. A source is undefined if it is no link: an argument, an index, or several places. */
interface Origin {
  readonly call: number;
  readonly source: LinkSource | undefined;
}

/**
 * Finds where the arguments of calls come from. Calls are added in their order: the arguments of each, then its result.
 * The earliest place of a value is its origin, so a result that repeats an argument is no source.
 */
export class LinkIndex<Token> {
  readonly #origins = new Map<Token, Origin>();

  /** Finds the source of an argument among the results of the calls that were added. */
  sourceOf({ path, token, telling }: TokenLeaf<Token>): LinkSource | undefined {
    if (telling === 'never') return undefined;
    const source = this.#origins.get(token)?.source;
    if (!source || telling === 'always') return source;
    const key = path.findLast((part) => typeof part === 'string');
    return key !== undefined && isSameKey(key, source.path.at(-1) ?? '') ? source : undefined;
  }

  addArguments(call: number, leaves: readonly TokenLeaf<Token>[]): void {
    for (const { token, telling } of leaves) {
      if (telling === 'never' || this.#origins.has(token)) continue;
      this.#origins.set(token, { call, source: undefined });
    }
  }

  addResult(call: number, leaves: readonly TokenLeaf<Token>[]): void {
    for (const { path, token, telling } of leaves) {
      if (telling === 'never') continue;
      const known = this.#origins.get(token);
      // A choice among several places of one result is no link.
      if (known && (known.call < call || !known.source)) continue;
      const source = !known && isPlainPath(path) ? { call, path } : undefined;
      this.#origins.set(token, { call, source });
    }
  }
}

/** True for a path of names. A key that is data, such as an id or a file's name, is an index too. */
function isPlainPath(path: readonly (string | number)[]): path is readonly string[] {
  return path.every((part) => typeof part === 'string' && isName(part));
}

function isName(key: string): boolean {
  return key.length <= 64 && /^[A-Za-z_][\w-]*$/.test(key) && !/\d{4}/.test(key) && key !== '__proto__';
}
