import { type Capability, type Learned, nearDuplicatesOf } from '../registry/index.ts';
import type { Reach } from './resolve-names.ts';

/** Points out what makes the same calls as code that was just kept. */
export async function warnOfNearDuplicates(
  { db, who }: Reach,
  { fqdn }: Capability,
  { callsHash }: Pick<Learned, 'callsHash'>,
): Promise<string[]> {
  const names = callsHash === undefined ? [] : await nearDuplicatesOf(db, who, fqdn);
  if (names.length === 0) return [];
  const shown = names.map((name) => `"${name}"`).join(', ');
  return [
    `This makes the same calls in the same order as ${shown}. If that does what you need, call it, or change it with cap_update, instead of keeping two.`,
  ];
}
