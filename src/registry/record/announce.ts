import type { Db, Queryable } from '../../store/index.ts';
import type { Visibility } from './capability.ts';

const CHANNEL = 'pml_capabilities';

/** Something that changes what a name of a scope means, or what is kept of its record. */
export interface RegistryChange {
  org: string;
  project: string;
  what: 'named' | 'renamed' | 'updated' | 'retired' | 'drifted' | 'judged' | 'created' | 'rerouted';
  /** The one user whom it concerns; absent if it concerns all of the scope. */
  only?: string;
}

/** What tells whom a change of a record concerns. */
interface Announced {
  org: string;
  project: string;
  visibility?: Visibility;
  createdBy?: string;
}

/** Whether a list of tools may be another now. What was created without a name is in none, nor are former versions. */
export function changesTools({ what }: RegistryChange): boolean {
  return what !== 'created' && what !== 'rerouted' && what !== 'judged';
}

/**
 * Written in the transaction that changes the registry, so that it is heard exactly if the change is kept. Whoever changes a
 * record must announce it: `NameCache` answers from memory until it hears of a change.
 */
export async function announce(
  tx: Queryable,
  record: Announced,
  what: RegistryChange['what'],
): Promise<void> {
  const { org, project } = record;
  const only = onlyFor(record);
  const change: RegistryChange = { org, project, what, ...(only !== undefined && { only }) };
  await tx.notify(CHANNEL, JSON.stringify(change));
}

/** Announces the same of many records, once to each who sees any of them. */
export async function announceAll(
  tx: Queryable,
  records: readonly Announced[],
  what: RegistryChange['what'],
): Promise<void> {
  const told = new Map(
    records.map((one) => [JSON.stringify([one.org, one.project, onlyFor(one) ?? null]), one]),
  );
  for (const one of told.values()) await announce(tx, one, what);
}

/** In a list of its scope a private record is seen by its creator alone, every other by all. */
function onlyFor({ visibility, createdBy }: Announced): string | undefined {
  // PostgreSQL sends no more than 8,000 bytes.
  return visibility === 'private' && createdBy && createdBy.length <= 1000 ? createdBy : undefined;
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
