import type { Program } from '../syntax/ast.ts';
import { memberChainsOf } from './global-paths.ts';

/** Why code that reads a kept result is not remembered. */
export const READS_KEPT_RESULT =
  'It reads a kept result (pml.result), which expires within minutes: take the data from args or from tools';

/** True if code states that it reads a kept result: `pml.result(run)`, also through an alias. */
export function readsKeptResult(program: Program): boolean {
  // Most code has no such word, and is not searched.
  if (!program.source.includes('pml')) return false;
  return memberChainsOf(program, 'pml', (keys) => keys.length > 0).some(
    ({ path }) => path.keys[0] === 'result',
  );
}
