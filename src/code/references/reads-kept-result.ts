import type { Program } from '../syntax/ast.ts';
import { memberChainsOf } from './global-paths.ts';

/** True if code states that it reads a kept result: `pml.result(run)`, also through an alias. */
export function readsKeptResult(program: Program): boolean {
  // Most code has no such word, and is not searched.
  if (!program.source.includes('pml')) return false;
  return memberChainsOf(program, 'pml', (keys) => keys.length > 0).some(
    ({ path }) => path.keys[0] === 'result',
  );
}
