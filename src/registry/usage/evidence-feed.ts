import type { Db } from '../../store/index.ts';
import { type Evidence, type Lifecycle, listingStatusOf } from './lifecycle.ts';

const CHANNEL = 'pml_standing';

/** New calls of a named capability. Whether they change a list depends on the settings of whoever shows it. */
export interface EvidenceChange {
  org: string;
  project: string;
  /** The creator of a private capability: nobody else's list can show it. */
  only: string | null;
  before: Evidence;
  after: Evidence;
}

/** Sends an `EvidenceChange` for each row of `moved` that may enter or leave a list. */
export const NOTIFY_EVIDENCE = `select pg_notify('${CHANNEL}', json_build_object('org', org, 'project', project,
    'only', case when visibility = 'private' and length(created_by) <= 1000 then created_by end,
    'before', json_build_object('lastUsedAt', was_used_at, 'recent', was_recent),
    'after', json_build_object('lastUsedAt', last_used_at, 'recent', recent))::text)
  from moved where named and (was_recent like '%0' or recent like '%0' or was_used_at < last_used_at - interval '1 day')`;

/** Subscribes to calls, made in any process on this database, that may change what is listed. */
export function onEvidence(db: Db, listener: (change: EvidenceChange) => void): Promise<() => Promise<void>> {
  const hear = (payload: string) => {
    const { before, after, ...scope } = JSON.parse(payload) as EvidenceChange;
    listener({ ...scope, before: withDate(before), after: withDate(after) });
  };
  // A missed change shows in the next list; the feed of registry changes reports the gap.
  return db.listen(CHANNEL, hear, () => {});
}

function withDate({ lastUsedAt, recent }: Evidence): Evidence {
  return { lastUsedAt: new Date(lastUsedAt), recent };
}

/** Tells whether new calls brought a capability into a list with these settings, or out of it. */
export function changesListing({ before, after }: EvidenceChange, settings: Lifecycle): boolean {
  const isListed = (evidence: Evidence) => listingStatusOf(evidence, settings) === 'listed';
  return isListed(before) !== isListed(after);
}
