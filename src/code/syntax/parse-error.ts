import { PmlError } from '../../errors.ts';
import { LINE_END, positionAt } from './positions.ts';

const EXCERPT_WIDTH = 100;

/** Code that cannot be parsed, with the place in the caller's own text. */
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

/** Quotes the line of `offset` and the one before it, with a caret under the place. */
function excerptAt(source: string, offset: number): string {
  const { line, column } = positionAt(source, offset);
  const lines = source.split(LINE_END);
  const gutter = String(line).length;
  const shown: string[] = [];
  if (line > 1) shown.push(`${String(line - 1).padStart(gutter)} | ${clip(lines[line - 2] ?? '', 0).text}`);
  const { text, cut } = clip(lines[line - 1] ?? '', column - 1);
  shown.push(`${line} | ${text}`, `${' '.repeat(gutter)} | ${' '.repeat(column - 1 - cut)}^`);
  return shown.join('\n');
}

/** Cuts a long line to a window around `column`. Tabs become spaces, so that the caret stands in the right column. */
function clip(text: string, column: number): { text: string; cut: number } {
  const cut = column < EXCERPT_WIDTH - 20 ? 0 : column - EXCERPT_WIDTH + 40;
  return { text: text.slice(cut, cut + EXCERPT_WIDTH).replaceAll('\t', ' '), cut };
}
