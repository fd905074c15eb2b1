import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { maySee, principalParameters } from '../record/visibility.ts';

/** How many names are suggested. */
const SHOWN = 3;

const NEAR_DUPLICATES = `select t.display_name as name from capability_records r
  join capability_records t on t.org = r.org and t.project = r.project and t.calls_hash = r.calls_hash and t.id <> r.id
  where r.id = $5 and t.retired_at is null and ${maySee('t')}
    and t.forked_from is distinct from r.id and r.forked_from is distinct from t.id
  order by t.named desc, t.usage_count desc, t.display_name limit ${SHOWN}`;

/** Finds capabilities of its scope that make the same calls in the same order, named ones first, without its forks. */
export async function nearDuplicatesOf(db: Queryable, who: Principal, fqdn: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(NEAR_DUPLICATES, [...principalParameters(who), fqdn]);
  return rows.map(({ name }) => name);
}
