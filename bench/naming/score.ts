/** Splits a name into lower-case words: `toISOString` is `to`, `iso`, `string`. */
export function subTokens(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Counts the words that two names share, each as often as both have it. */
export function sharedWords(a: readonly string[], b: readonly string[]): number {
  const left = [...b];
  let shared = 0;
  for (const word of a) {
    const at = left.indexOf(word);
    if (at === -1) continue;
    left.splice(at, 1);
    shared += 1;
  }
  return shared;
}

export interface Score {
  count: number;
  /** Over the words of all names together, in percent. */
  f1: number;
  /** The mean of the F1 of each name, in percent. */
  mean: number;
  exact: number;
}

export function scoreNames<T extends { name: string }>(
  items: readonly T[],
  nameOf: (item: T) => string[],
): Score {
  let [shared, given, real, sum, exact] = [0, 0, 0, 0, 0];
  for (const item of items) {
    const [guess, truth] = [nameOf(item), subTokens(item.name)];
    const common = sharedWords(guess, truth);
    shared += common;
    given += guess.length;
    real += truth.length;
    sum += f1Of(common, guess.length, truth.length);
    if (guess.join(' ') === truth.join(' ')) exact += 1;
  }
  return {
    count: items.length,
    f1: percent(f1Of(shared, given, real)),
    mean: percent(sum / items.length),
    exact: percent(exact / items.length),
  };
}

function f1Of(shared: number, given: number, real: number): number {
  return given + real === 0 ? 0 : (2 * shared) / (given + real);
}

function percent(share: number): number {
  return Math.round((share || 0) * 1000) / 10;
}
