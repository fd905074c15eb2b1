import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { MAY_SEE, principalParameters } from '../record/visibility.ts';
import { type Lifecycle, listingParameters, listingStatusSql } from '../usage/lifecycle.ts';

/** How many capabilities of the principal's scope are in which state. A capability may be in several states. */
export interface StateCounts {
  total: number;
  named: number;
  unnamed: number;
  /** Made since the given time. */
  learned: number;
  stale: number;
  failing: number;
  unused: number;
}

const COUNTS = `select count(*) as total, count(*) filter (where r.named) as named, count(*) filter (where not r.named) as unnamed,
    count(*) filter (where r.created_at >= $5) as learned, count(*) filter (where r.stale is not null) as stale,
    count(*) filter (where r.named and s.status = 'failing') as failing,
    count(*) filter (where r.named and s.status = 'unused') as unused
  from capability_records r cross join lateral (select ${listingStatusSql(6)} as status) s
  where ${MAY_SEE} and r.org = $1 and r.project = $2 and r.retired_at is null and r.record_type = 'capability'`;

export async function countStates(
  db: Queryable,
  who: Principal,
  since: Date,
  lifecycle: Lifecycle,
): Promise<StateCounts> {
  const { rows } = await db.query<StateCounts>(COUNTS, [
    ...principalParameters(who),
    since.toISOString(),
    ...listingParameters(lifecycle),
  ]);
  return rows[0] as StateCounts;
}
