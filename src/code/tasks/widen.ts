import type { KnownVerdicts } from '../parameters/parameter-verdicts.ts';
import { type Widened, widen as widenProgram } from '../parameters/widen.ts';
import { parse } from '../syntax/parse.ts';
import { calleesOf, type KnownReferences } from './learn.ts';

export interface WidenTask extends KnownReferences {
  readonly verdicts?: KnownVerdicts;
  readonly isJoined: boolean;
  /** The names of the parameters to make; all if undefined. */
  readonly only?: readonly string[] | undefined;
}

/** Makes parameters of the constants of stored code. */
export function widen(
  source: string,
  { verdicts, isJoined, only, ...known }: WidenTask,
): Widened | undefined {
  return widenProgram(parse(source), {
    ...calleesOf(known),
    verdicts,
    isJoined,
    only: only && new Set(only),
  });
}
