import type { Db, Queryable } from '../store/index.ts';

const CHANNEL = 'pml_capabilities';

/** Something that changes what a name of a scope means, or what is kept of its record. */
export interface RegistryChange {
  org: string;
  project: string;
  what: 'named' | 'renamed' | 'updated' | 'retired' | 'drifted' | 'created' | 'rerouted';
}

/** Whether a list of tools may be another now. What was created without a name is in none. */
export function changesTools({ what }: RegistryChange): boolean {
  return what !== 'created' && what !== 'rerouted';
}

/**
 * Written in the transaction that changes the registry, so that it is heard exactly if the change is kept. Whoever changes a
 * record must announce it: `KnownNames` answers from memory until it hears of a change.
 */
export async function announce(
  tx: Queryable,
  scope: { org: string; project: string },
  what: RegistryChange['what'],
): Promise<void> {
  const change: RegistryChange = { org: scope.org, project: scope.project, what };
  await tx.notify(CHANNEL, JSON.stringify(change));
}

/** Hears of changes made by any process on this database. */
export function onChange(
  db: Db,
  listener: (change: RegistryChange | 'unknown') => void,
): Promise<() => Promise<void>> {
  return db.listen(
    CHANNEL,
    (payload) => listener(JSON.parse(payload) as RegistryChange),
    // While the feed was away anything may have changed.
    () => listener('unknown'),
  );
}
