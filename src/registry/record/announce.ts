import type { Db, Queryable } from '../../store/index.ts';
import type { Visibility } from './capability.ts';

const CHANNEL = 'pml_capabilities';

/** A change to a record, or to the meaning of a name, in one scope. */
export interface RegistryChange {
  org: string;
  project: string;
  what:
    | 'named'
    | 'renamed'
    | 'updated'
    | 'retired'
    | 'drifted'
    | 'declared'
    | 'judged'
    | 'created'
    | 'rerouted';
  /** The only user who can see the record; absent if all of the scope can. */
  only?: string;
  /** The record; absent if the change is of several. */
  fqdn?: string;
}

/** The fields of a record that decide who hears of its change. */
interface ChangedRecord {
  org: string;
  project: string;
  visibility?: Visibility;
  createdBy?: string;
  fqdn?: string;
}

/** Tells whether a change can alter a list of tools. Unnamed capabilities and former versions are in none. */
export function affectsToolList({ what }: RegistryChange): boolean {
  return what !== 'created' && what !== 'rerouted' && what !== 'judged';
}

/**
 * Announces a change over the change feed, in the transaction that makes it, so that it is heard exactly if that commits.
 * Every change of a record must be announced: `NameCache` answers from memory until it hears of one.
 */
export async function announce(
  tx: Queryable,
  record: ChangedRecord,
  what: RegistryChange['what'],
): Promise<void> {
  const { org, project } = record;
  const only = onlyFor(record);
  const fqdn = short(record.fqdn);
  const change: RegistryChange = {
    ...{ org, project, what },
    ...(only !== undefined && { only }),
    ...(fqdn !== undefined && { fqdn }),
  };
  await tx.notify(CHANNEL, JSON.stringify(change));
}

/** Announces the same change of many records, once for each scope or single user that sees them. */
export async function announceAll(
  tx: Queryable,
  records: readonly ChangedRecord[],
  what: RegistryChange['what'],
): Promise<void> {
  const told = new Map(
    records.map((one) => [JSON.stringify([one.org, one.project, onlyFor(one) ?? null]), one]),
  );
  for (const { org, project, visibility, createdBy } of told.values())
    await announce(
      tx,
      { org, project, ...(visibility && { visibility }), ...(createdBy && { createdBy }) },
      what,
    );
}

/** Only the creator of a private record hears of its changes; the whole scope hears of any other record's. */
function onlyFor({ visibility, createdBy }: ChangedRecord): string | undefined {
  return visibility === 'private' && createdBy ? short(createdBy) : undefined;
}

/** PostgreSQL limits a notification to 8,000 bytes. */
function short(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= 1000 ? text : undefined;
}

/** Subscribes to the changes made by any process on this database. */
export function onChange(
  db: Db,
  listener: (change: RegistryChange | 'unknown') => void,
): Promise<() => Promise<void>> {
  return db.listen(
    CHANNEL,
    (payload) => listener(JSON.parse(payload) as RegistryChange),
    // Anything may have changed while the feed was cut.
    () => listener('unknown'),
  );
}
