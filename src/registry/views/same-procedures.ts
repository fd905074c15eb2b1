import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';

/** How many groups are shown, and how many names of each. */
const SHOWN = 20;
const SHOWN_NAMES = 10;

const GROUPS = `select array_agg(r.display_name order by r.named desc, r.usage_count desc, r.created_at) as names
  from capability_records r
  where ${VISIBLE} and r.org = $1 and r.project = $2 and r.record_type = 'capability' and r.code_hash is not null
  group by r.code_hash having count(*) > 1
  order by sum(r.usage_count) desc, min(r.id) limit ${SHOWN}`;

/**
 * Finds capabilities of the principal's scope that turn out to be one procedure, the most proven of each group first. They
 * were kept apart before their identity was known, or are forks; nothing is folded without being asked.
 */
export async function sameProcedures(db: Queryable, who: Principal): Promise<string[][]> {
  const { rows } = await db.query<{ names: string[] }>(GROUPS, principalParameters(who));
  return rows.map(({ names }) => names.slice(0, SHOWN_NAMES));
}
