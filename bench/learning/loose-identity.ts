import { hashOfCalls } from '../../src/registry/procedures/index.ts';
import type { Learned } from '../../src/testing/programs/learner.ts';

/** Programs of one loose identity are named to the agent as near duplicates. */
export function looseIdentityOf({ calls }: Learned): string | undefined {
  return hashOfCalls(calls.map(({ name }) => name));
}
