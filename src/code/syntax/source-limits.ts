import { NestingScanner } from './nesting-scanner.ts';

/** In UTF-16 units. Longer text belongs into `args` or a file, not into a program. */
export const MAX_SOURCE = 256 * 1024;
/** Levels of the syntax tree. Every walk after the parser is recursive; this limit keeps them far from the end of the stack. */
export const MAX_TREE_DEPTH = 300;
/** Constructs open at once. On a stack of 4 MB the parser fails from about 4,000 open brackets on. */
const MAX_OPEN = 1000;
/** About 3,000 lines; bounds the time of one analysis for any input. A long string counts as one token. */
const MAX_TOKENS = 40_000;
/**
 * The parser reports every error and quotes the whole line with each: a redeclared name in each of 20,000 statements on
 * one line would yield gigabytes. In characters: tokens that may cause an error, times the longest line. Data on one
 * long line causes no errors and stays allowed.
 */
const MAX_QUOTED = 64_000_000;

/** Returns why this text must not reach the native parser; undefined if it may. */
export function limitViolation(source: string): string | undefined {
  const scanner = new NestingScanner(source);
  const longest = source.split(/[\n\r\u2028\u2029]/).reduce((most, line) => Math.max(most, line.length), 0);
  for (let steps = 0; scanner.at < source.length; steps += 1) {
    scanner.step();
    if (scanner.open > MAX_OPEN) return 'Code is nested too deeply';
    if (scanner.errorProne * longest > MAX_QUOTED)
      return 'Code has too much on one line; break it into lines';
    // Gaps between tokens count as steps too.
    if (steps > 2 * MAX_TOKENS) return 'Code is too long';
  }
  return undefined;
}
