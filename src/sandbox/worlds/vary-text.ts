import { drawBelow, drawFrom, isDrawn, mixHash } from './hash.ts';

/** Changes one word of a text. `others` are the words in the same place of the other lines. */
export type VaryWord = (word: string, key: number, others: readonly string[]) => string;

export interface TextSource {
  /** Percentage of the words that change. */
  readonly leaves: number;
  readonly isRough: boolean;
  readonly isEmptied: boolean;
  readonly varyWord: VaryWord;
  /** Makes the list of lines longer, shorter or disordered. */
  readonly resize: (lines: readonly string[], key: number) => string[];
}

const GARBAGE = ['', '   ', 'garbage', '---', '# comment', ',,', '{', 'null'];
const SEPARATORS = [',', '\t', ';', '|'];
const MAX_LINES = 2_000;

/** Another text of several lines. A table stays one: its first line is its head, and all lines have as many cells. */
export function varyLines(text: string, key: number, source: TextSource): string {
  const lines = text.split('\n');
  if (lines.length > MAX_LINES) return text;
  const isEnded = lines.length > 1 && lines.at(-1) === '';
  if (isEnded) lines.pop();
  const separator = separatorOf(lines);
  const head = separator === undefined ? [] : lines.slice(0, 1);
  const body = lines.slice(head.length);
  if (source.isEmptied) return isDrawn(key, 61, 50) ? head.join('\n') : '';
  const columns = columnsOf(body, separator);
  const varied = source
    .resize(body, key)
    .map((line, i) => varyLine(line, mixHash(key, i), separator, columns, source));
  const all = [...head, ...(source.isRough ? roughen(varied, key) : varied)];
  const end = source.isRough ? drawFrom(['', '\n', '\n\n'], key, 62) : isEnded ? '\n' : '';
  return all.join('\n') + end;
}

/** The separator of a table's cells, undefined for other texts. */
function separatorOf(lines: readonly string[]): string | undefined {
  if (lines.length < 2) return undefined;
  const counts = (separator: string) => lines.map((line) => line.split(separator).length);
  return SEPARATORS.find((separator) => {
    const [first = 0, ...others] = counts(separator);
    return first > 1 && others.every((count) => count === first);
  });
}

/** The words of each place in the lines, without those that stand there twice. */
function columnsOf(lines: readonly string[], separator: string | undefined): string[][] {
  const columns: string[][] = [];
  for (const line of lines.slice(0, 200)) {
    wordsOf(line, separator).forEach((word, at) => {
      columns[at] ??= [];
      if (!columns[at].includes(word)) columns[at].push(word);
    });
  }
  return columns;
}

function wordsOf(line: string, separator = ' '): string[] {
  return line.split(separator);
}

function varyLine(
  line: string,
  key: number,
  separator: string | undefined,
  columns: readonly string[][],
  { leaves, varyWord, isRough }: TextSource,
): string {
  const words = wordsOf(line, separator).map((word, at) => {
    const place = mixHash(key, at);
    return word === '' || !isDrawn(place, 63, leaves) ? word : varyWord(word, place, columns[at] ?? []);
  });
  const gap = isRough && separator === undefined && isDrawn(key, 64, 12) ? '  ' : (separator ?? ' ');
  return words.join(gap);
}

/** Adds what files have and programs forget: blank lines, garbage, indented and cut lines, lines with a carriage return. */
function roughen(lines: readonly string[], key: number): string[] {
  return lines.flatMap((line, i) => {
    const place = mixHash(key, i);
    const roll = drawBelow(place, 65, 100);
    if (roll < 12) return [line, drawFrom(GARBAGE, place, 66)];
    if (roll < 20) return [`  ${line}`];
    if (roll < 26) return [line.slice(0, Math.floor(line.length / 2))];
    if (roll < 32) return [`${line} `];
    if (roll < 38) return [line, line];
    return roll < 42 ? [`${line}\r`] : [line];
  });
}
