import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { seesAllCapabilities } from '../lookup/granted.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';

/** How many names are suggested. */
const SHOWN = 3;
/** How many are looked at: some may be forks. */
const LOOKED_AT = 12;

/** A user sees what is private to the user and what the scope shares. */
const OF_USER = `select id from capabilities_by_calls($1, $2, $3, (select calls_hash from itself), ${LOOKED_AT}) id`;
/** An agent may see few among thousands, so its records are tried one by one. */
const OF_AGENT = `select id from unnest(granted_capabilities($1, $2, $4)) id`;

// `materialized` and `offset 0` keep the planner from joining in another order: it reads each twin by its key.
const select = (
  twins: string,
) => `with itself as materialized (select * from capability_records where id = $5),
  twin as materialized (${twins})
  select r.display_name as name from itself i cross join twin t
  cross join lateral (select * from capability_records where id = t.id offset 0) r
  where ${VISIBLE} and r.org = $1 and r.project = $2 and r.calls_hash = i.calls_hash and r.id <> i.id
    and r.forked_from is distinct from i.id and i.forked_from is distinct from r.id
  order by r.named desc, r.usage_count desc, r.display_name limit ${SHOWN}`;

const STATEMENTS = { user: select(OF_USER), agent: select(OF_AGENT) };

/**
 * Finds capabilities of its scope that make the same calls in the same order, named and much used ones first, without its
 * forks. Of thousands it looks only at the first few.
 */
export async function nearDuplicatesOf(db: Queryable, who: Principal, fqdn: string): Promise<string[]> {
  const statement = STATEMENTS[seesAllCapabilities(who) ? 'user' : 'agent'];
  const { rows } = await db.query<{ name: string }>(statement, [...principalParameters(who), fqdn]);
  return rows.map(({ name }) => name);
}
