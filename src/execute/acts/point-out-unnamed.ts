import { mayChangeWith } from '../../principal.ts';
import { OFTEN, usesOf } from '../../registry/curation/index.ts';
import type { Callable } from '../../registry/index.ts';
import type { Run } from '../run/run.ts';

/** Points out a capability that is used often and that nobody has named: only named ones are listed as tools. */
export async function pointOutUnnamed(
  { db, who }: Pick<Run, 'db' | 'who'>,
  capability: Callable,
): Promise<string[]> {
  // Its maker can name it; others could only wonder.
  if (capability.named || capability.createdBy !== who.user || !mayChangeWith(who, 'cap_rename')) return [];
  const uses = await usesOf(db, capability.fqdn);
  if (uses < OFTEN) return [];
  return [
    `"${capability.name}" was used ${uses} times and has no name: cap_curate suggests one, cap_rename gives one, and then it is a tool of its own.`,
  ];
}
