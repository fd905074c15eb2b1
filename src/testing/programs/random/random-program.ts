import { Choices } from '../choices.ts';
import { RandomExpressions } from './random-expressions.ts';
import { RandomScope } from './random-scope.ts';
import { RandomStatements } from './random-statements.ts';

const DATA = ['a.txt', 'report', 'x/y.json', 'ana@example.org', 'Globex', '42'];
const OTHER_DATA = ['b.txt', 'summary', 'p/q.json', 'ben@example.org', 'Initech', '17'];

/** Writes the program that a list of numbers decides. The same numbers give the same program, also over other data. */
export function randomProgram(numbers: readonly number[], { otherData = false } = {}): string {
  const choices = Choices.of(numbers);
  const data = otherData ? OTHER_DATA : DATA;
  const expressions = new RandomExpressions(choices, new RandomScope(choices), (at) => data[at] as string);
  return new RandomStatements(expressions).program();
}
