import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { type Capability, nameFor, type Scope } from '../record/capability.ts';
import { schemaShownTo } from '../record/examples.ts';
import { FROM_CAPABILITY, LISTED } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { type Evidence, type Lifecycle, listingStatusOf } from '../usage/lifecycle.ts';

/** A capability as an index of a scope needs it. Its parameters may be cut. */
export interface DiscoverableCapability
  extends Pick<
    Capability,
    | 'fqdn'
    | 'name'
    | 'listedName'
    | 'named'
    | 'org'
    | 'project'
    | 'namespace'
    | 'description'
    | 'intent'
    | 'visibility'
    | 'createdBy'
    | 'tags'
    | 'toolsUsed'
    | 'usageCount'
    | 'successCount'
    | 'stale'
    | 'parametersSchema'
  > {
  lastUsedAt: Date;
}

/** Enough to find it by; a page of rows stays in the low megabytes. */
const INDEXED_BYTES = 4096;
const MANY_CALLEES = 50;

const INDEXED = `r.id as "fqdn", r.display_name as "name", r.listed_name as "listedName", r.named, r.org, r.project,
  r.namespace, left(r.description, ${INDEXED_BYTES}) as "description", left(r.intent, ${INDEXED_BYTES}) as "intent",
  r.visibility, r.created_by as "createdBy", r.tags, r.tools_used[1:${MANY_CALLEES}] as "toolsUsed",
  r.usage_count as "usageCount", r.success_count as "successCount", r.stale, r.last_used_at as "lastUsedAt",
  case when pg_column_size(p.parameters_schema) > ${INDEXED_BYTES} then '{"type": "object"}'::jsonb
    else p.parameters_schema end as "parametersSchema"`;

/** Condition that somebody in scope $1, $2 may find record `r`. */
const FINDABLE = `r.record_type = 'capability' and r.retired_at is null and (r.visibility = 'public'
  or (r.visibility = 'org' and r.org = $1) or (r.org = $1 and r.project = $2))`;

/** Records `r` and patterns `p` of these FQDNs. `offset 0` makes any planner read each by its key. */
function byKey(fqdns: string): string {
  return `unnest(${fqdns}::text[]) given(id)
    cross join lateral (select * from capability_records where id = given.id offset 0) r
    cross join lateral (select * from workflow_pattern where id = r.pattern_id offset 0) p`;
}

/** Reads a page of all capabilities that somebody in a scope may find, in the order of their FQDNs. */
export async function readDiscoverable(
  db: Queryable,
  { org, project }: Scope,
  after: string,
  limit: number,
): Promise<DiscoverableCapability[]> {
  const { rows } = await db.query<DiscoverableCapability>(
    `select ${INDEXED} from ${FROM_CAPABILITY} where ${FINDABLE} and r.id > $3 order by r.id limit $4`,
    [org, project, after, limit],
  );
  return rows;
}

/** Reads those of the given capabilities that somebody in a scope may find. */
export async function rereadDiscoverable(
  db: Queryable,
  { org, project }: Scope,
  fqdns: readonly string[],
): Promise<DiscoverableCapability[]> {
  const { rows } = await db.query<DiscoverableCapability>(
    `select ${INDEXED} from ${byKey('$3')} where ${FINDABLE}`,
    [org, project, fqdns],
  );
  return rows;
}

/** Reads which capabilities that somebody in a scope may find are stale. */
export async function readStale(db: Queryable, { org, project }: Scope, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ fqdn: string }>(
    `select r.id as fqdn from capability_records r where ${FINDABLE} and r.stale is not null limit $3`,
    [org, project, limit],
  );
  return rows.map(({ fqdn }) => fqdn);
}

/** A capability that was found, as its finder may see it. */
export interface FoundCapability
  extends Pick<
    Capability,
    | 'fqdn'
    | 'id'
    | 'name'
    | 'listedName'
    | 'named'
    | 'version'
    | 'createdBy'
    | 'description'
    | 'stale'
    | 'usageCount'
    | 'successCount'
    | 'parametersSchema'
    | 'toolsUsed'
  > {
  /** The name by which the finder can call it. */
  callName: string;
  /** It belongs to the finder's scope, has a name, and the lifecycle leaves it listed. */
  isListed: boolean;
  lastUsedAt: Date;
  /** The schema of its results, as far as the finder may know. */
  outputSchema: JsonSchema | null;
}

type FoundRow = Omit<FoundCapability, 'callName' | 'isListed'> &
  Scope & { declared: JsonSchema | null; observed: JsonSchema | null } & Evidence;

const FOUND = `r.id as "fqdn", r.uid::text as "id", r.display_name as "name", r.listed_name as "listedName", r.named, r.version,
  r.org, r.project, r.created_by as "createdBy", r.tools_used[1:${MANY_CALLEES}] as "toolsUsed",
  r.last_used_at as "lastUsedAt", r.recent, ${LISTED}, o.declared, o.schema as "observed"`;

/** Reads those of the given capabilities that a principal may see, by FQDN. */
export async function readFound(
  db: Queryable,
  who: Principal,
  fqdns: readonly string[],
  lifecycle: Lifecycle,
): Promise<Map<string, FoundCapability>> {
  const { rows } = await db.query<FoundRow>(
    `select ${FOUND} from ${byKey('$5')} left join lateral (
       select * from capability_outputs where fqdn = r.id and version = r.version offset 0) o on true
     where ${VISIBLE} and r.record_type = 'capability'`,
    [...principalParameters(who), fqdns],
  );
  return new Map(rows.map((row) => [row.fqdn, shownTo(who, row, lifecycle)]));
}

function shownTo(who: Principal, row: FoundRow, lifecycle: Lifecycle): FoundCapability {
  const { declared, observed, recent, org, project, ...rest } = row;
  const isHere = org === who.org && project === who.project;
  return {
    ...rest,
    callName: nameFor(who, row),
    isListed:
      isHere && row.named && listingStatusOf({ lastUsedAt: row.lastUsedAt, recent }, lifecycle) === 'listed',
    parametersSchema: schemaShownTo(who, row),
    // Before it is declared, a schema may have keys that are data of its maker's own runs.
    outputSchema: declared ?? (row.createdBy === who.user ? observed : null),
  };
}
