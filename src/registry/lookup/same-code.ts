import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';
import { CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { seesAllCapabilities } from './granted.ts';

/** Forks have the code of their source, so that a scope may share some copies. */
const LOOKED_AT = 8;

/** A user sees what is private to the user and what the scope shares. */
const OF_USER = `select id from capabilities_by_code($1, $2, $3, $5, ${LOOKED_AT}) id`;
/** An agent may see few among many copies, so its records are tried one by one. */
const OF_AGENT = `select id from unnest(granted_capabilities($1, $2, $4)) id`;

// `materialized` and `offset 0` keep the planner from joining in another order: it reads each copy by its key.
const select = (copies: string) => `with copy as materialized (${copies})
  select ${CAPABILITY} from copy c
  cross join lateral (select * from capability_records where id = c.id offset 0) r
  cross join lateral (select * from workflow_pattern where id = r.pattern_id offset 0) p
  where ${VISIBLE} and r.code_hash = $5 and r.org = $1 and r.project = $2
  order by r.created_by = $3 desc, r.created_at limit 1`;

const STATEMENTS = { user: select(OF_USER), agent: select(OF_AGENT) };

/** Finds a capability of the principal's scope that has the same code, however it is formatted and whatever its locals are called. */
export async function findSameCode(
  db: Queryable,
  who: Principal,
  codeHash: string,
): Promise<Capability | undefined> {
  const statement = STATEMENTS[seesAllCapabilities(who) ? 'user' : 'agent'];
  const { rows } = await db.query<Capability>(statement, [...principalParameters(who), codeHash]);
  return rows[0];
}
