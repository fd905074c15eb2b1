import { PmlError } from '../../errors.ts';

/** A stretch of source text, in UTF-16 offsets: `source.slice(start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place as editors and V8 count it: both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
const EXCERPT_WIDTH = 100;

export function positionAt(source: string, offset: number): Position {
  return positionsIn(source)(offset);
}

/** `positionAt` for many offsets of one text. */
export function positionsIn(source: string): (offset: number) => Position {
  const starts = [0, ...Array.from(source.matchAll(LINE_END), (match) => match.index + match[0].length)];
  return (offset) => {
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}

/** The line of `offset` and the one before it, with a caret under the place. */
export function excerptAt(source: string, offset: number): string {
  const { line, column } = positionAt(source, offset);
  const lines = source.split(LINE_END);
  const gutter = String(line).length;
  const shown: string[] = [];
  if (line > 1) shown.push(`${String(line - 1).padStart(gutter)} | ${clip(lines[line - 2] ?? '', 0).text}`);
  const { text, cut } = clip(lines[line - 1] ?? '', column - 1);
  shown.push(`${line} | ${text}`, `${' '.repeat(gutter)} | ${' '.repeat(column - 1 - cut)}^`);
  return shown.join('\n');
}

/** A window of a long line that holds `column`. Tabs become spaces so that the caret stands where it should. */
function clip(text: string, column: number): { text: string; cut: number } {
  const cut = column < EXCERPT_WIDTH - 20 ? 0 : column - EXCERPT_WIDTH + 40;
  return { text: text.slice(cut, cut + EXCERPT_WIDTH).replaceAll('\t', ' '), cut };
}

/** Code that cannot be read, with the place in the caller's own text. */
export class ParseError extends PmlError {
  readonly line: number;
  readonly column: number;
  readonly excerpt: string;

  constructor(source: string, offset: number, reason: string, hint?: string) {
    const { line, column } = positionAt(source, offset);
    const excerpt = excerptAt(source, offset);
    super('syntax_error', `${reason} (line ${line}, column ${column})\n${excerpt}`, { hint });
    this.line = line;
    this.column = column;
    this.excerpt = excerpt;
  }
}
