import type { Principal } from '../../principal.ts';
import { hideSecrets } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import { storedText } from '../../stored-texts.ts';
import { nameFor, type Routing, successRate, type Visibility } from '../record/capability.ts';
import { FROM_CAPABILITY } from '../record/record-sql.ts';
import { MAY_SEE, principalParameters, visibleRanges } from '../record/visibility.ts';
import {
  type Evidence,
  explainListing,
  type Lifecycle,
  listingParameters,
  listingStatusOf,
  listingStatusSql,
} from '../usage/lifecycle.ts';
import { keysetAfter, readCursor, writeCursor } from './keyset.ts';

export type BrowsedState = 'listed' | 'unnamed' | 'stale' | 'failing' | 'unused' | 'retired';

/** A capability as a table of them shows it. */
export interface BrowsedCapability {
  id: string;
  fqdn: string;
  name: string;
  description: string;
  namespace: string;
  tags: string[];
  visibility: Visibility;
  version: number;
  parameters: number;
  usage_count: number;
  /** Null if it was never called. */
  success_rate: number | null;
  /** The median of its latest calls. */
  p50_ms: number | null;
  last_used: string | null;
  created_at: string;
  created_by: string;
  state: BrowsedState;
  /** Why it is in this state, if that is not plain. */
  reason?: string;
  routing: Routing;
  verified: boolean;
}

export interface BrowseFilter {
  namespace?: string | undefined;
  tag?: string | undefined;
  visibility?: Visibility | undefined;
  state?: 'named' | 'unnamed' | 'stale' | 'failing' | 'unused' | 'retired' | undefined;
}

export interface BrowsePage {
  sort: keyof typeof SORTS;
  order?: 'asc' | 'desc' | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** The namespace of a name without a colon is that of the FQDN. */
const NAMESPACE = `case when position(':' in r.display_name) > 1 then split_part(r.display_name, ':', 1) else r.namespace end`;

const SORTS = {
  usage: { key: 'r.usage_count', type: 'bigint', order: 'desc' },
  name: { key: 'r.display_name', type: 'text', order: 'asc' },
  created: { key: 'r.created_at', type: 'timestamptz', order: 'desc' },
  last_used: { key: 'r.last_used_at', type: 'timestamptz', order: 'desc' },
  // A capability that was never called has no rate, and sorts below all that have one.
  success: {
    key: 'coalesce(r.success_count::float8 / nullif(r.usage_count, 0), -1)',
    type: 'float8',
    order: 'desc',
  },
} as const;

/** How many of its latest calls tell the latency of a capability. */
const LATEST_CALLS = 100;

interface Row extends Evidence {
  id: string;
  fqdn: string;
  name: string;
  org: string;
  project: string;
  named: boolean;
  description: string;
  namespace: string;
  tags: string[];
  visibility: Visibility;
  version: number;
  parameters: number;
  usageCount: number;
  successCount: number;
  p50: number | null;
  createdAt: Date;
  createdBy: string;
  stale: string | null;
  retired: boolean;
  routing: Routing;
  verified: boolean;
}

const COLUMNS = `r.id as "fqdn", r.uid::text as "id", r.display_name as "name", r.org, r.project, r.named,
  left(r.description, 2000) as "description", ${NAMESPACE} as "namespace", r.tags, r.visibility, r.version,
  (select count(*) from jsonb_object_keys(case when jsonb_typeof(p.parameters_schema->'properties') = 'object'
    then p.parameters_schema->'properties' else '{}' end)) as "parameters",
  r.usage_count as "usageCount", r.success_count as "successCount", r.last_used_at as "lastUsedAt", r.recent,
  (select percentile_cont(0.5) within group (order by l.duration_ms) from (select u.duration_ms from tool_usage u
    where u.fqdn = r.id collate "default" and not u.cached and not u.refused order by u.called_at desc limit ${LATEST_CALLS}) l) as "p50",
  r.created_at as "createdAt", r.created_by as "createdBy", r.stale, r.retired_at is not null as "retired", r.routing, r.verified`;

/** Lists one page of the capabilities that a principal sees. `total` is given only if the first page holds them all. */
export async function browse(
  db: Queryable,
  who: Principal,
  filter: BrowseFilter,
  page: BrowsePage,
  lifecycle: Lifecycle,
): Promise<{ items: BrowsedCapability[]; next: string | null; total?: number }> {
  const sort = SORTS[page.sort];
  const order = page.order ?? sort.order;
  const { where, values } = conditions(who, filter, lifecycle);
  const cursor = page.cursor === undefined ? undefined : readCursor(page.cursor, `${page.sort} ${order}`);
  const after = cursor ? keysetAfter({ ...sort, order, id: 'r.id' }, cursor, values) : 'true';
  const taken = values.push(page.limit + 1);
  const { rows } = await db.query<Row & { key: string }>(
    `select ${COLUMNS}, (${sort.key})::text as "key" from (
        select r.id from (${firstOfRanges(`${where} and ${after}`, sort.key, order, taken)}) r
        order by r.key ${order}, r.id ${order} limit $${taken}) page
      join ${FROM_CAPABILITY} on r.id = page.id order by ${sort.key} ${order}, r.id ${order}`,
    values,
    { prepare: false },
  );
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const next =
    rows.length > page.limit && last ? writeCursor(`${page.sort} ${order}`, [last.key, last.fqdn]) : null;
  return {
    items: shown.map((row) => browsed(who, row, lifecycle)),
    next,
    ...(!cursor && next === null && { total: shown.length }),
  };
}

/** Counts the capabilities that all pages have together. At 100,000 that takes about as long as reading a page. */
export async function countBrowsed(
  db: Queryable,
  who: Principal,
  filter: BrowseFilter,
  lifecycle: Lifecycle,
): Promise<number> {
  const { where, values } = conditions(who, filter, lifecycle);
  const parts = visibleRanges('r').map(
    (range) => `select count(*) as part from capability_records r where ${range} and ${where}`,
  );
  const { rows } = await db.query<{ total: number }>(
    `select sum(part)::bigint as total from (${parts.join(' union all ')}) counts`,
    values,
    { prepare: false },
  );
  return rows[0]?.total ?? 0;
}

/** Reads some capabilities by FQDN, in the order given, without those that the principal may not see. */
export async function browseOnly(
  db: Queryable,
  who: Principal,
  fqdns: readonly string[],
  filter: BrowseFilter,
  lifecycle: Lifecycle,
): Promise<BrowsedCapability[]> {
  const { where, values } = conditions(who, filter, lifecycle);
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from ${FROM_CAPABILITY}
     where ${MAY_SEE} and ${where} and r.id = any($${values.push(fqdns)}::text[])`,
    values,
    { prepare: false },
  );
  const byFqdn = new Map(rows.map((row) => [row.fqdn, row]));
  return fqdns.flatMap((fqdn) => {
    const row = byFqdn.get(fqdn);
    return row ? [browsed(who, row, lifecycle)] : [];
  });
}

/** Reads some capabilities by FQDN, retired ones too, in any order, without those that the principal may not see. */
export async function browseAny(
  db: Queryable,
  who: Principal,
  fqdns: readonly string[],
  lifecycle: Lifecycle,
): Promise<BrowsedCapability[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from ${FROM_CAPABILITY} where ${MAY_SEE} and r.id = any($5::text[])`,
    [...principalParameters(who), fqdns],
  );
  return rows.map((row) => browsed(who, row, lifecycle));
}

/** Takes the first rows of each range that an index covers. */
function firstOfRanges(where: string, key: string, order: 'asc' | 'desc', taken: number): string {
  return visibleRanges('r')
    .map(
      (range) => `(select r.id, ${key} as key from capability_records r where ${range} and ${where}
        order by ${key} ${order}, r.id ${order} limit $${taken})`,
    )
    .join(' union all ');
}

function conditions(
  who: Principal,
  { namespace, tag, visibility, state }: BrowseFilter,
  lifecycle: Lifecycle,
): { where: string; values: unknown[] } {
  const values: unknown[] = [...principalParameters(who)];
  const where = [
    `r.record_type = 'capability'`,
    state === 'retired' ? 'r.retired_at is not null' : 'r.retired_at is null',
  ];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) where.push(`${condition} $${values.push(value)}`);
  };
  add(`${NAMESPACE} =`, namespace);
  add('r.tags @>', tag === undefined ? undefined : [tag]);
  add('r.visibility =', visibility);
  if (state === 'named') where.push('r.named');
  if (state === 'unnamed') where.push('not r.named');
  if (state === 'stale') where.push('r.stale is not null');
  if (state === 'failing' || state === 'unused') {
    const status = listingStatusSql(values.length + 1);
    values.push(...listingParameters(lifecycle));
    where.push(`r.named and ${status} = '${state}'`);
  }
  return { where: where.join(' and '), values };
}

function browsed(who: Principal, row: Row, lifecycle: Lifecycle): BrowsedCapability {
  const state = stateOf(row, lifecycle);
  const reason =
    state === 'stale'
      ? row.stale
      : state === 'failing' || state === 'unused'
        ? explainListing(row, lifecycle)
        : null;
  return {
    id: row.id,
    fqdn: row.fqdn,
    name: nameFor(who, row),
    description: storedText('description', row.description),
    namespace: row.namespace,
    tags: row.tags.map((tag) => hideSecrets(tag)),
    visibility: row.visibility,
    version: row.version,
    parameters: row.parameters,
    usage_count: row.usageCount,
    success_rate: successRate(row),
    p50_ms: row.p50 === null ? null : Math.round(row.p50 * 100) / 100,
    last_used: row.usageCount > 0 ? row.lastUsedAt.toISOString() : null,
    created_at: row.createdAt.toISOString(),
    created_by: row.createdBy,
    state,
    ...(reason !== null && { reason }),
    routing: row.routing,
    verified: row.verified,
  };
}

/** Only named capabilities can be failing or unused: no others are listed. */
function stateOf(row: Row, lifecycle: Lifecycle): BrowsedState {
  if (row.retired) return 'retired';
  if (row.stale !== null) return 'stale';
  return row.named ? listingStatusOf(row, lifecycle) : 'unnamed';
}
