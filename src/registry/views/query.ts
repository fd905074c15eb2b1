import type { Principal } from '../../principal.ts';
import { hideSecrets } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import { storedText } from '../../stored-texts.ts';
import {
  type Capability,
  nameFor,
  type Routing,
  successRate,
  type Visibility,
} from '../record/capability.ts';
import { FROM_ANY, LISTED } from '../record/record-sql.ts';
import { MAY_SEE, principalParameters, visibleRanges } from '../record/visibility.ts';
import {
  computationsLeaveBefore,
  type Evidence,
  explainListing,
  type Lifecycle,
  listingStatusOf,
  UNNAMED_COMPUTATION,
} from '../usage/lifecycle.ts';
import { likePattern } from './glob.ts';

export interface Filter {
  /** `pattern`, `namespace`, `created_by` and `version_tag` are globs. */
  pattern?: string | undefined;
  namespace?: string | undefined;
  created_by?: string | undefined;
  /** The tag of the newest version, with or without its "v". */
  version_tag?: string | undefined;
  named_only?: boolean | undefined;
  unnamed_only?: boolean | undefined;
  /** A capability must have all of them. */
  tags?: readonly string[] | undefined;
  visibility?: Visibility | undefined;
  type?: 'capability' | 'mcp-server' | undefined;
  /** Only those that were taken out of use, instead of those in use. */
  retired?: boolean | undefined;
  sort_by?: keyof typeof ORDERS | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface ListedCapability {
  id: string;
  name: string;
  description: string;
  usage_count: number;
  /** Null if it was never called. */
  success_rate: number | null;
  parameters: string[];
  tags: readonly string[];
  visibility: Visibility;
  version: number;
  routing: Routing;
  /** Why it no longer fits the tools it was written for. */
  stale?: string;
  /** Why it is not in the list of tools, though it has a name. */
  unlisted?: string;
  retired_at?: string;
}

const ORDERS = {
  usage: `${UNNAMED_COMPUTATION}, r.usage_count desc, r.display_name, r.id`,
  name: 'r.display_name, r.id',
  created: 'r.created_at desc, r.id',
} as const;

/** The namespace of a name without a colon is that of the FQDN. */
const NAMESPACE = `case when position(':' in r.display_name) > 1 then split_part(r.display_name, ':', 1) else r.namespace end`;

type Row = Omit<
  ListedCapability,
  'usage_count' | 'success_rate' | 'parameters' | 'stale' | 'unlisted' | 'retired_at'
> &
  Pick<
    Capability,
    'type' | 'org' | 'project' | 'named' | 'stale' | 'usageCount' | 'successCount' | 'parametersSchema'
  > &
  Evidence & { retiredAt: Date | null };

const COLUMNS = `r.uid::text as "id", r.record_type as "type", r.display_name as "name", r.org, r.project, r.named, r.tags,
  r.visibility, r.version, r.routing, r.last_used_at as "lastUsedAt", r.recent, r.retired_at as "retiredAt", ${LISTED}`;

/** Planned for each filter: the best plan depends on how many records fit it. */
const PLANNED = { prepare: false };

/** Lists one page of what a principal sees, filtered and sorted, with the total. */
export async function query(
  db: Queryable,
  who: Principal,
  filter: Filter,
  lifecycle?: Lifecycle,
): Promise<{ capabilities: ListedCapability[]; total: number }> {
  const { sort_by = 'usage', limit = 50, offset = 0 } = filter;
  // No capability is both named and unnamed.
  if (filter.named_only && filter.unnamed_only) return { capabilities: [], total: 0 };
  const { where, values } = conditions(who, filter);
  // Whoever asks for the unnamed wants them all.
  const since =
    lifecycle && !filter.unnamed_only && !filter.retired ? computationsLeaveBefore(lifecycle) : undefined;
  const left = since === undefined ? 'false' : hasLeft(values.push(since));
  const page = pageOf(`${where} and not ${left}`, ORDERS[sort_by], values.length);
  const [{ rows }, count] = await Promise.all([
    db.query<Row>(page, [...values, limit, offset], PLANNED),
    db.query<{ total: number }>(countOf(where, left), values, PLANNED),
  ]);
  return {
    capabilities: rows.map((row) => ({ ...listed(who, row), ...unlisted(row, lifecycle) })),
    total: count.rows[0]?.total ?? 0,
  };
}

/** Takes the first rows of each range, then the page of these, and joins patterns to the page alone. */
function pageOf(where: string, order: string, taken: number): string {
  const [limit, offset] = [`$${taken + 1}::bigint`, `$${taken + 2}::bigint`];
  const keys = 'r.id, r.display_name, r.usage_count, r.created_at, r.named, r.tools_used';
  const firsts = visibleRanges('r').map(
    (range) => `(select ${keys} from capability_records r where ${range} and ${where}
      order by ${order} limit ${limit} + ${offset})`,
  );
  return `select ${COLUMNS} from (
      select r.id from (${firsts.join(' union all ')}) r order by ${order} limit ${limit} offset ${offset}) page
    join ${FROM_ANY} on r.id = page.id order by ${order}`;
}

/** Condition that a record is an unnamed computation that has left the lists. */
function hasLeft(at: number): string {
  return `(${UNNAMED_COMPUTATION} and r.last_used_at < $${at}::timestamptz)`;
}

/** Counts those that have left separately: all others are counted from indexes, without reading the records. */
function countOf(where: string, left: string): string {
  const counts = visibleRanges('r').map(
    (range) => `select count(*) as part from capability_records r where ${range} and ${where}`,
  );
  const gone = `select count(*) from capability_records r where ${where} and ${left} and ${MAY_SEE}`;
  return `select (sum(part) - (${gone}))::bigint as total from (${counts.join(' union all ')}) counts`;
}

function conditions(who: Principal, filter: Filter): { where: string; values: unknown[] } {
  const { pattern, namespace, created_by, version_tag, tags, visibility, type, named_only, unnamed_only } =
    filter;
  const values: unknown[] = [...principalParameters(who)];
  // A literal, so that the planner can use the indexes that hold capabilities alone.
  const retired = filter.retired ? 'is not null' : 'is null';
  const where = [
    `r.retired_at ${retired} and r.record_type = '${type === 'mcp-server' ? type : 'capability'}'`,
  ];
  const add = (condition: string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    where.push(`${condition} $${values.length}`);
  };
  const like = (glob: string | undefined) => glob && likePattern(glob);
  add('r.display_name like', like(pattern));
  add(`${NAMESPACE} like`, like(namespace));
  add('r.created_by like', like(created_by));
  add(`ltrim(r.version_tag, 'v') like`, like(version_tag?.replace(/^v/, '')));
  add('r.named =', named_only ? true : unnamed_only ? false : undefined);
  add('r.tags @>', tags);
  add('r.visibility =', visibility);
  return { where: where.join(' and '), values };
}

function unlisted(row: Row, lifecycle: Lifecycle | undefined): { unlisted?: string } {
  const isOut =
    lifecycle &&
    !row.retiredAt &&
    row.named &&
    row.type === 'capability' &&
    listingStatusOf(row, lifecycle) !== 'listed';
  return isOut ? { unlisted: explainListing(row, lifecycle) } : {};
}

function listed(who: Principal, capability: Row): ListedCapability {
  const { id, description, tags, visibility, version, routing, parametersSchema, stale } = capability;
  return {
    id,
    // A server is found by its plain name from every scope.
    name: capability.type === 'mcp-server' ? capability.name : nameFor(who, capability),
    description: storedText('description', description),
    usage_count: capability.usageCount,
    success_rate: successRate(capability),
    parameters: Object.keys((parametersSchema?.properties ?? {}) as object),
    tags: tags.map((tag) => hideSecrets(tag)),
    visibility,
    version,
    routing,
    ...(stale !== null && { stale }),
    ...(capability.retiredAt && { retired_at: capability.retiredAt.toISOString() }),
  };
}
