import { isWellFormed, parse } from '../syntax/parse.ts';
import { ParseError } from '../syntax/parse-error.ts';
import { LINE_END } from '../syntax/positions.ts';
import { returnResult } from '../syntax/return-result.ts';
import { unfence } from '../syntax/unfence.ts';

/** Longer code is not repaired: each of some 50 tries parses all of it. In characters. */
const MAX_SOURCE = 16 * 1024;
const MAX_LINE = 200;

/** The tokens that are most often missing where the parser stops. */
const INSERTED = ['null', ')', ']', '}', '"', "'", '`', ',', '})', '"})', '" })'];

/**
 * Finds the smallest change with which code parses: something inserted where the parser stopped or at the end of that line, one
 * character left out, or brackets closed at the end. Returns it as a sentence that shows the new line; undefined if there is none.
 */
export function repair(source: string): string | undefined {
  const unfenced = source.length > MAX_SOURCE ? undefined : quietly(() => unfence(source));
  const error = unfenced === undefined ? undefined : parseErrorOf(unfenced);
  return unfenced !== undefined && error ? repairAt(unfenced, error) : undefined;
}

function repairAt(source: string, { line, column }: ParseError): string | undefined {
  const lines = source.split(LINE_END);
  const text = lines[line - 1] ?? '';
  const tries = [text, lines[line - 2] ?? ''].flatMap((wrong, back) =>
    repairsOf(wrong, back === 0 ? column - 1 : wrong.length).map((right) => ({ right, at: line - 1 - back })),
  );
  const found = tries.find(({ right, at }) => at >= 0 && parses(lines.with(at, right)));
  if (found) return sentence(found.at + 1, found.right);
  const closers = openBrackets(source);
  return closers !== '' && parses([...lines, closers])
    ? `Perhaps \`${closers}\` is missing at the end.`
    : undefined;
}

function sentence(line: number, right: string): string | undefined {
  const text = right.trim();
  return text.length > MAX_LINE ? undefined : `Perhaps line ${line} should be \`${text}\`.`;
}

function repairsOf(line: string, column: number): string[] {
  const [before, after] = [line.slice(0, column), line.slice(column)];
  const end = line.trimEnd().replace(/;$/, '');
  const semicolon = line.trimEnd().endsWith(';') ? ';' : '';
  return [
    ...INSERTED.map((missing) => before + missing + after),
    ...INSERTED.map((missing) => end + missing + semicolon),
    before + after.slice(1),
    before.slice(0, -1) + after,
  ];
}

const CLOSED_BY: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The brackets that close all that is open at the end, roughly: brackets in texts and comments count too. */
function openBrackets(source: string): string {
  const open: string[] = [];
  for (const character of source) {
    const closer = CLOSED_BY[character];
    if (closer) open.push(closer);
    else if (character === open.at(-1)) open.pop();
  }
  return open.reverse().join('').slice(0, 20);
}

function parses(lines: readonly string[]): boolean {
  const source = lines.join('\n');
  return isWellFormed(source) && parseErrorOf(source) === undefined;
}

function parseErrorOf(source: string): ParseError | undefined {
  try {
    parse(returnResult(source).toString());
    return undefined;
  } catch (error) {
    if (error instanceof ParseError) return error;
    throw error;
  }
}

/** Fences that cannot be removed have an error of their own. */
function quietly(unfenced: () => string): string | undefined {
  try {
    return unfenced();
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
