import type { Capability, Learned } from '../../registry/index.ts';
import { nearDuplicatesOf } from '../../registry/procedures/index.ts';
import type { ResolveContext } from '../run/resolve-names.ts';

/** Warns of capabilities that make the same calls as code that was just stored. */
export async function warnOfNearDuplicates(
  { db, who }: Pick<ResolveContext, 'db' | 'who'>,
  { fqdn }: Capability,
  { callsHash }: Pick<Learned, 'callsHash'>,
): Promise<string[]> {
  const names = callsHash === undefined ? [] : await nearDuplicatesOf(db, who, fqdn);
  if (names.length === 0) return [];
  const quoted = names.map((name) => `"${name}"`).join(', ');
  return [
    `This makes the same calls in the same order as ${quoted}. If that does what you need, call it, or change it with cap_update, instead of keeping two.`,
  ];
}
