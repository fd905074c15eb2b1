import type { Choices } from '../choices.ts';
import { type DataProgram, Draft } from './draft.ts';
import { FRAGMENTS } from './fragments.ts';

/** Draws a program whose data is known. */
export function randomDataProgram(choices: Choices): DataProgram {
  const draft = new Draft(choices);
  const count = 1 + choices.below(3);
  for (let at = 0; at < count; at += 1) choices.one(FRAGMENTS)(draft);
  return draft.finish();
}
