import { canonicalJson } from '../../src/canonical-json.ts';
import { isWrite, type MadeCall } from './backend.ts';

/** What a run did: its calls, and its result unless it failed. */
export interface Ran {
  readonly calls: readonly MadeCall[];
  readonly result?: unknown;
  readonly failure?: string;
}

/**
 * Runs that did the same have one text: writes in order, the reads between two writes in any order, and the outcome. Of a run that
 * failed only the writes count: nobody gets what it read.
 */
export function behaviourOf({ calls: made, result, failure }: Ran): string {
  const lines: string[] = [];
  const calls = failure === undefined ? made : made.filter(({ name }) => isWrite(name));
  let reads: string[] = [];
  for (const { name, args } of calls) {
    const line = `${name} ${canonicalJson(args)}`;
    if (!isWrite(name)) {
      reads.push(line);
      continue;
    }
    lines.push(...reads.sort(), line);
    reads = [];
  }
  const outcome = failure === undefined ? `returns ${canonicalJson(result ?? null)}` : 'fails';
  return [...lines, ...reads.sort(), outcome].join('\n');
}

/** The first line in which two behaviours differ. */
export function difference(expected: string, got: string): string {
  const [wanted, made] = [expected.split('\n'), got.split('\n')];
  const at = wanted.findIndex((line, index) => line !== made[index]);
  return `expected ${cut(wanted[at])}, got ${cut(made[at])}`;
}

function cut(line = 'nothing more'): string {
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
