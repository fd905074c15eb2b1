import { isSameKey, type Telling } from './distinctive-value.ts';

/** A scalar of a call, by a token that stands for its value: the value itself, or a keyed hash of it. */
export interface TokenLeaf<Token> {
  readonly path: readonly (string | number)[];
  readonly token: Token;
  readonly telling: Telling;
}

/**
 * The values that one call brings in, each with the path of the result that holds it. The path is undefined if no link can
 * lead there: the call was given the value, or its result holds it below an index or in several places.
 */
export type Origins<Token> = ReadonlyMap<Token, readonly string[] | undefined>;

export function originsOf<Token>(
  args: readonly TokenLeaf<Token>[],
  result: readonly TokenLeaf<Token>[],
): Origins<Token> {
  const origins = new Map<Token, readonly string[] | undefined>();
  for (const { token, telling } of args) if (telling !== 'never') origins.set(token, undefined);
  for (const { path, token, telling } of result) {
    if (telling === 'never') continue;
    origins.set(token, !origins.has(token) && isPlainPath(path) ? path : undefined);
  }
  return origins;
}

/** True if an argument may be linked to a result at this path. */
export function mayLink<Token>({ path, telling }: TokenLeaf<Token>, source: readonly string[]): boolean {
  if (telling !== 'same key') return telling === 'always';
  const key = path.findLast((part) => typeof part === 'string');
  return key !== undefined && isSameKey(key, source.at(-1) ?? '');
}

/** True for a path of names. A key that is data, such as an id or a file's name, is an index too. */
function isPlainPath(path: readonly (string | number)[]): path is readonly string[] {
  return path.every((part) => typeof part === 'string' && isName(part));
}

function isName(key: string): boolean {
  return key.length <= 64 && /^[A-Za-z_][\w-]*$/.test(key) && !/\d{4}/.test(key) && key !== '__proto__';
}
