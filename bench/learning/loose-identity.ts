import { hashOfCalls } from '../../src/registry/procedures/index.ts';
import type { Learned } from '../../src/testing/programs/learner.ts';

/** Programs of one loose identity are named to the agent as near duplicates. */
export function looseIdentityOf(learned: Learned & { identity?: { loose?: string } }): string | undefined {
  return learned.identity?.loose ?? hashOfCalls(learned.calls.map(({ name }) => name));
}
