import { mayChangeWith, type Principal } from '../../principal.ts';
import { OFTEN } from '../../registry/curation/index.ts';
import type { Callable } from '../../registry/index.ts';
import type { UseCounts } from '../run/use-counts.ts';

/** Points out a capability that is used often and that nobody has named: only named ones are listed as tools. */
export async function pointOutUnnamed(
  { uses: counts, who }: { uses: UseCounts; who: Principal },
  capability: Callable,
): Promise<string[]> {
  // Only its maker is told, and only if the caller may rename.
  if (capability.named || capability.createdBy !== who.user || !mayChangeWith(who, 'cap_rename')) return [];
  const uses = await counts.count(capability.fqdn);
  if (uses < OFTEN) return [];
  return [
    `"${capability.name}" was used ${uses} times and has no name: cap_curate suggests one, cap_rename gives one, and then it is a tool of its own.`,
  ];
}
