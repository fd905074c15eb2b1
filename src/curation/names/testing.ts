import type { Nameable } from './nameable.ts';

let last = 0;

/** A capability to be named, with what a test does not care about filled in. */
export function nameable(
  intent: string,
  toolsUsed: readonly string[] = [],
  more: Partial<Nameable> = {},
): Nameable {
  last += 1;
  return {
    id: `capability-${last}`,
    currentName: 'unnamed_a7f3',
    intent,
    code: '',
    toolsUsed,
    parameters: {},
    ...more,
  };
}
