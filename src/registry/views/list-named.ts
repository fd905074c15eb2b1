import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';
import { schemaShownTo } from '../record/examples.ts';
import { FROM_CAPABILITY, LISTED } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { type Lifecycle, listingParameters, listingStatusSql } from '../usage/lifecycle.ts';

/** The fields of a capability that lists show. */
export interface NamedCapability
  extends Pick<
    Capability,
    'name' | 'listedName' | 'description' | 'stale' | 'parametersSchema' | 'usageCount' | 'successCount'
  > {
  /** The schema of its results, as far as clients are told. */
  outputSchema: JsonSchema | null;
  /** All that the code calls: `server:tool`, or FQDNs; null if that is not known. */
  callees: readonly string[] | null;
}

type Row = NamedCapability & Pick<Capability, 'createdBy'>;

/** The callees of a capability with more of them are not read, and count as unknown. */
const MANY_CALLEES = 200;

const NAMED = `r.display_name as "name", r.listed_name as "listedName", r.created_by as "createdBy", ${LISTED}, o.declared as "outputSchema",
  case when p.names_callees and cardinality(r.tools_used) <= ${MANY_CALLEES} then r.tools_used end as "callees"`;
const FROM_NAMED = `${FROM_CAPABILITY} left join capability_outputs o on o.fqdn = r.id and o.version = r.version`;

function shownTo(who: Principal, row: Row): NamedCapability {
  const { createdBy, ...shown } = row;
  return { ...shown, parametersSchema: schemaShownTo(who, row) };
}

/** Reads a page of a scope's named capabilities, by listed name; with a lifecycle, only those that it leaves listed. */
export async function listNamed(
  db: Queryable,
  who: Principal,
  after: string,
  limit: number,
  lifecycle?: Lifecycle,
): Promise<NamedCapability[]> {
  const { rows } = await db.query<Row>(
    `select ${NAMED} from ${FROM_NAMED}
     where ${VISIBLE} and r.org = $1 and r.project = $2 and r.named and r.listed_name > $5${lifecycle ? stillListed(7) : ''}
     order by r.listed_name, r.id limit $6`,
    [...principalParameters(who), after, limit, ...(lifecycle ? listingParameters(lifecycle) : [])],
  );
  return rows.map((row) => shownTo(who, row));
}

/** Reads the most used named capabilities of a scope, by listed name. */
export async function listMostUsed(
  db: Queryable,
  who: Principal,
  count: number,
  lifecycle: Lifecycle,
): Promise<NamedCapability[]> {
  const { rows } = await db.query<Row>(
    `select * from (select ${NAMED} from ${FROM_NAMED}
       where ${VISIBLE} and r.org = $1 and r.project = $2 and r.named${stillListed(6)}
       order by r.usage_count desc, r.tools_used = '{}', r.listed_name limit $5) most order by "listedName"`,
    [...principalParameters(who), count, ...listingParameters(lifecycle)],
  );
  return rows.map((row) => shownTo(who, row));
}

function stillListed(first: number): string {
  return ` and ${listingStatusSql(first)} = 'listed'`;
}

/** Reads names of the scope for "did you mean", former ones too, those of the most used first. */
export async function currentAndFormerNames(db: Queryable, who: Principal, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select n.name from capability_names n join capability_records r on r.id = n.fqdn
     where ${VISIBLE} and n.org = $1 and n.project = $2 and r.org = $1 and r.project = $2 and r.named
       and r.record_type = 'capability'
     order by r.usage_count desc, n.name <> r.display_name, n.name limit $5`,
    [...principalParameters(who), limit],
  );
  return rows.map(({ name }) => name);
}

/** Reads names of the scope, the most used first. */
export async function someNames(db: Queryable, who: Principal, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select r.display_name as name from capability_records r
     where ${VISIBLE} and r.org = $1 and r.project = $2 and r.named and r.record_type = 'capability'
     order by r.usage_count desc, r.display_name limit $5`,
    [...principalParameters(who), limit],
  );
  return rows.map(({ name }) => name);
}
