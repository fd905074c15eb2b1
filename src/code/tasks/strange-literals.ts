import type { Json } from '../../json.ts';
import { type TellingLiteral, tellingLiterals } from '../literals/mutate-literals.ts';
import { parse } from '../syntax/parse.ts';

/** Two programs that seem to do the same, with their arguments, as function bodies. */
export interface StrangeOptions {
  readonly args: Readonly<Record<string, Json>>;
  readonly other: string;
  readonly otherArgs: Readonly<Record<string, Json>>;
}

/**
 * Lists copies of a program, each with one literal changed that the other program has nowhere: unless the copy is seen to do
 * something else, nobody knows whether the other program does there what this one does.
 */
export function strangeLiterals(source: string, { args, other, otherArgs }: StrangeOptions): string[] {
  const theirs = textsOf(tellingLiterals(parse(other)), otherArgs);
  const ours = tellingLiterals(parse(source));
  const given = Object.values(args).filter((value) => typeof value === 'string');
  return ours.filter(({ value }) => !isExplained(value, theirs, given)).map(({ mutated }) => mutated);
}

interface Texts {
  readonly texts: readonly string[];
  readonly numbers: ReadonlySet<number>;
}

function textsOf(literals: readonly TellingLiteral[], args: Readonly<Record<string, Json>>): Texts {
  const values: Json[] = [...literals.map(({ value }) => value), ...Object.values(args)].flatMap((value) =>
    Array.isArray(value) ? value.flat() : [value],
  );
  return {
    texts: values.filter((value) => typeof value === 'string'),
    numbers: new Set(values.filter((value) => typeof value === 'number')),
  };
}

/** A text is explained if its parts around the values of the other program stand in its texts. */
function isExplained(value: string | number, { texts, numbers }: Texts, given: readonly string[]): boolean {
  if (typeof value === 'number') return numbers.has(value);
  if (texts.some((text) => text.includes(value))) return true;
  const known = [...texts, ...given]
    .filter((text) => text.length > 2 || given.includes(text))
    .sort((a, b) => b.length - a.length);
  let rest = value;
  for (const text of known) rest = rest.replaceAll(text, '\0');
  return !/[\p{L}\p{N}]/u.test(rest);
}
