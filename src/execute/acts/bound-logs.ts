import type { LogLine } from '../../sandbox/index.ts';

/** How much of the console an answer shows by default. */
const SHOWN_CHARACTERS = 20_000;
const LINE_CHARACTERS = 5000;
/** Counted for each line besides its text. */
const OVERHEAD = 30;

/** Shows the first and the last lines of a long console, and says how many are between them. */
export function boundLogs(logs: readonly LogLine[], limit = SHOWN_CHARACTERS): LogLine[] {
  const sizeOf = ({ text }: LogLine) => Math.min(text.length, LINE_CHARACTERS) + OVERHEAD;
  const total = logs.reduce((sum, { text }) => sum + text.length + OVERHEAD, 0);
  if (total <= limit) return [...logs];
  const first = countFitting(logs.map(sizeOf), limit / 2);
  const last = countFitting(logs.slice(first).map(sizeOf).reverse(), limit / 2);
  const left = logs.length - first - last;
  const note: LogLine[] = left > 0 ? [{ level: 'warn', text: `(${left} lines left out)` }] : [];
  return [...logs.slice(0, first), ...note, ...logs.slice(logs.length - last)].map(cutLine);
}

function countFitting(sizes: readonly number[], limit: number): number {
  let used = 0;
  const end = sizes.findIndex((size) => {
    used += size;
    return used > limit;
  });
  return end === -1 ? sizes.length : end;
}

function cutLine({ level, text }: LogLine): LogLine {
  if (text.length <= LINE_CHARACTERS) return { level, text };
  return { level, text: `${text.slice(0, LINE_CHARACTERS).toWellFormed()}… (of ${text.length} characters)` };
}
