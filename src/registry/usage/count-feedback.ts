import type { Queryable } from '../../store/index.ts';
import { COUNT_FEEDBACK } from '../tables/capability-records.ts';
import { NOTIFY_EVIDENCE } from './evidence-feed.ts';

const COUNT = `with before as (
    select r.id, r.last_used_at, r.recent from capability_records r where r.id = $1 for no key update
  ), moved as (
    ${COUNT_FEEDBACK}
  )
  ${NOTIFY_EVIDENCE}`;

/** Adds feedback to the latest outcomes, which decide whether the capability is listed. It does not count as a call. */
export async function countFeedback(tx: Queryable, fqdn: string, success: boolean): Promise<void> {
  await tx.query(COUNT, [fqdn, success ? '1' : '0']);
}
