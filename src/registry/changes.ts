import type { Db, Queryable } from '../store/index.ts';

const CHANNEL = 'pml_capabilities';

/** Something that changes which capabilities are listed as tools in a scope. */
export interface RegistryChange {
  org: string;
  project: string;
  what: 'named' | 'renamed' | 'updated' | 'retired' | 'drifted';
}

/** Written in the transaction that changes the registry, so that it is heard exactly if the change is kept. */
export async function announce(
  tx: Queryable,
  scope: { org: string; project: string },
  what: RegistryChange['what'],
): Promise<void> {
  const change: RegistryChange = { org: scope.org, project: scope.project, what };
  await tx.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify(change)]);
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
