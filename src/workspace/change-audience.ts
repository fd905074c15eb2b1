import { usesCapabilities } from '../principal.ts';
import { maySeeRecord, seesAllCapabilities } from '../registry/names/index.ts';
import type { Db } from '../store/index.ts';
import { type Member, partOf } from './member.ts';

/** The fields of a capability's change that decide whom it concerns. */
export interface CapabilityChange {
  /** The only user who can see the record. */
  readonly only?: string | null | undefined;
  /** The record; absent if the change is of several. */
  readonly fqdn?: string | null | undefined;
}

/** Finds the members whose list of tools a change concerns. The others must not even hear that something changed. */
export async function membersSeeing(
  db: Db,
  members: ReadonlySet<Member>,
  { only, fqdn }: CapabilityChange,
): Promise<Member[]> {
  const seeing = [...members].filter((member) => {
    if (partOf(member) === 'server' || !usesCapabilities(member.who)) return false;
    return only == null || member.who.user === only;
  });
  if (fqdn == null || seeing.every(({ who }) => seesAllCapabilities(who))) return seeing;
  const verdicts = await Promise.all(
    seeing.map(({ who }) => seesAllCapabilities(who) || maySeeRecord(db, who, fqdn)),
  );
  return seeing.filter((_, at) => verdicts[at]);
}
