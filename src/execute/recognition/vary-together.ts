import { canonicalJson } from '../../canonical-json.ts';
import type { Json } from '../../json.ts';
import type { ArgumentSet } from './solve-arguments.ts';

type Change = (value: Json) => Json | undefined;

/** Flags the other way round, then numbers so small and so large that comparisons turn out differently. */
const CHANGES: readonly Change[] = [
  (value) => (typeof value === 'boolean' ? !value : undefined),
  (value) => (typeof value === 'number' ? 0 : undefined),
  (value) => (typeof value === 'number' ? value * 1000 + 1000 : undefined),
];

/**
 * Other arguments for two programs with equal ones: each value that only one argument of each has is changed in both. `only`
 * names the one argument of the second program to change.
 */
export function* variedTogether(
  a: ArgumentSet,
  b: ArgumentSet,
  only?: string,
): Generator<[ArgumentSet, ArgumentSet]> {
  const pairs = pairsOf(a, b).filter(([, two]) => only === undefined || two === only);
  for (const change of CHANGES) {
    const changed = pairs.flatMap(([one, two]) => {
      const value = change(a[one] as Json);
      return value === undefined ? [] : [{ one, two, value }];
    });
    if (changed.length === 0) continue;
    yield [
      { ...a, ...Object.fromEntries(changed.map(({ one, value }) => [one, value])) },
      { ...b, ...Object.fromEntries(changed.map(({ two, value }) => [two, value])) },
    ];
  }
}

/** The names under which both have the same value, where that value tells them apart from all others. */
function pairsOf(a: ArgumentSet, b: ArgumentSet): (readonly [string, string])[] {
  const theirs = namesByValue(b);
  return [...namesByValue(a)].flatMap(([text, [one, ...more]]) => {
    const [two, ...others] = theirs.get(text) ?? [];
    const isPlain = one !== undefined && two !== undefined && more.length + others.length === 0;
    return isPlain ? [[one, two] as const] : [];
  });
}

function namesByValue(args: ArgumentSet): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const [name, value] of Object.entries(args)) {
    const text = canonicalJson(value);
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return names;
}
