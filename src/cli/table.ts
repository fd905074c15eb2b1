import type { Terminal } from './terminal.ts';

type Row = readonly string[];

const GAP = '  ';
/** A last column that is narrower says too little: the rows are stacked instead. */
const MIN_LAST = 20;

/** Aligns rows under their headings. If they are too wide, cuts the last column or puts each row on several lines. */
export function table(
  head: Row,
  rows: readonly Row[],
  terminal: Pick<Terminal, 'columns' | 'style'>,
): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = head.map((cell, at) => Math.max(...[cell, ...shown.map((row) => row[at] ?? '')].map(width)));
  const columns = terminal.columns ?? Number.POSITIVE_INFINITY;
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
  const last = widths.length - 1;
  const room = (widths[last] ?? 0) - Math.max(0, total - columns);
  if (total > columns && room < MIN_LAST) return stacked(head, shown, columns, terminal);
  const line = (cells: Row) =>
    cells
      .map((cell, at) => (at === last ? cut(cell, room) : cell + ' '.repeat((widths[at] ?? 0) - width(cell))))
      .join(GAP)
      .trimEnd();
  return [terminal.style('bold', line(head)), ...shown.map(line)].join('\n');
}

/** Writes each row on lines of its own: the first cell, the short ones with their headings, the last one. */
function stacked(
  head: Row,
  rows: readonly Row[],
  columns: number,
  { style }: Pick<Terminal, 'style'>,
): string {
  const lines = rows.flatMap((row) => {
    const facts = row
      .slice(1, -1)
      .flatMap((cell, at) => (cell ? `${head[at + 1]?.toLowerCase()} ${cell}` : []));
    const last = row.at(-1) ?? '';
    return [
      style('bold', row[0] ?? ''),
      ...wrapped(facts, columns - GAP.length).map((line) => `${GAP}${line}`),
      ...(last ? [`${GAP}${cut(last, columns - GAP.length)}`] : []),
    ];
  });
  return lines.join('\n');
}

/** Joins facts with commas, in as few lines as fit. */
function wrapped(facts: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const longer = `${lines.at(-1)}, ${fact}`;
    if (lines.length > 0 && width(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(fact);
  }
  return lines;
}

function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  for (const char of text) {
    if (width(kept + char) >= columns) break;
    kept += char;
  }
  return `${kept}…`;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** How many columns a text takes: some letters take two, marks that join the letter before them none. */
function width(text: string): number {
  let columns = 0;
  for (const char of text) columns += WIDE.test(char) ? 2 : /\p{M}|\u200d/u.test(char) ? 0 : 1;
  return columns;
}

/** Removes control characters: foreign text could use them to move the cursor or to hide the text beside it. */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\n\t\u200d]/gu, '');
}
