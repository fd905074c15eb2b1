import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { asking, type Capability, FROM_CAPABILITY, LISTED, VISIBLE } from '../record/capability.ts';
import { type Lifecycle, standingSql, standingValues } from '../record/lifecycle.ts';

/** As much of a capability as lists show. */
export type NamedCapability = Pick<
  Capability,
  'name' | 'listedName' | 'description' | 'stale' | 'parametersSchema' | 'usageCount' | 'successCount'
>;

const NAMED = `r.display_name as "name", r.listed_name as "listedName", ${LISTED}`;

/** One page of the named capabilities of a scope, by their listed names; with a lifecycle, those that it leaves listed. */
export async function listNamed(
  db: Queryable,
  who: Principal,
  after: string,
  limit: number,
  lifecycle?: Lifecycle,
): Promise<NamedCapability[]> {
  const { rows } = await db.query<NamedCapability>(
    `select ${NAMED} from ${FROM_CAPABILITY}
     where ${VISIBLE} and r.org = $1 and r.project = $2 and r.named and r.listed_name > $4${lifecycle ? stillListed(6) : ''}
     order by r.listed_name, r.id limit $5`,
    [...asking(who), after, limit, ...(lifecycle ? standingValues(lifecycle) : [])],
  );
  return rows;
}

/** The most used named capabilities of a scope, by their listed names. */
export async function listMostUsed(
  db: Queryable,
  who: Principal,
  count: number,
  lifecycle: Lifecycle,
): Promise<NamedCapability[]> {
  const { rows } = await db.query<NamedCapability>(
    `select * from (select ${NAMED} from ${FROM_CAPABILITY}
       where ${VISIBLE} and r.org = $1 and r.project = $2 and r.named${stillListed(5)}
       order by r.usage_count desc, r.listed_name limit $4) most order by "listedName"`,
    [...asking(who), count, ...standingValues(lifecycle)],
  );
  return rows;
}

function stillListed(first: number): string {
  return ` and ${standingSql(first)} = 'listed'`;
}

/** Some names of the scope, for "did you mean". */
export async function someNames(db: Queryable, who: Principal, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select r.display_name as name from capability_records r
     where ${VISIBLE} and r.org = $1 and r.project = $2 and r.named and r.record_type = 'capability'
     order by r.usage_count desc, r.display_name limit $4`,
    [...asking(who), limit],
  );
  return rows.map(({ name }) => name);
}
