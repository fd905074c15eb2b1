import { NestingGauge } from './nesting-scanner.ts';

/** Longer text belongs into `args` or a file, not into a program. In UTF-16 units. */
export const MAX_SOURCE = 256 * 1024;
/** Levels of the tree. Every walk after the parser is recursive; this keeps them far from the end of the stack. */
export const MAX_DEPTH = 300;
/** What may be open at once. On a stack of 4 MB the parser fails from about 4,000 open brackets on. */
const MAX_NESTING = 1000;
/** About 3,000 lines; bounds the time of one analysis whatever is sent. A long string counts as one. */
const MAX_TOKENS = 40_000;
/**
 * The parser quotes the whole line with every error it reports, and reports them all: a redeclared name in each of
 * 20,000 statements on one line would be gigabytes. In characters: what an error may be about, times the longest line.
 * Data in one long line is no such thing.
 */
const MAX_QUOTED = 64_000_000;

/** Why the parser must not be given this text, if so. */
export function refusalOf(source: string): string | undefined {
  const gauge = new NestingGauge(source);
  const longest = source.split(/[\n\r\u2028\u2029]/).reduce((most, line) => Math.max(most, line.length), 0);
  for (let steps = 0; gauge.at < source.length; steps += 1) {
    gauge.step();
    if (gauge.open > MAX_NESTING) return 'Code is nested too deeply';
    if (gauge.faulty * longest > MAX_QUOTED) return 'Code has too much on one line; break it into lines';
    // Gaps are steps too.
    if (steps > 2 * MAX_TOKENS) return 'Code is too long';
  }
  return undefined;
}
