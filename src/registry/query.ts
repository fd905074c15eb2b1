import type { Principal } from '../principal.ts';
import type { Queryable } from '../store/index.ts';
import { likePattern } from './glob.ts';
import { type Evidence, explainStanding, type Lifecycle, standingOf } from './lifecycle.ts';
import {
  asking,
  CAPABILITY,
  type Capability,
  FROM_ANY,
  nameFor,
  type Routing,
  successRate,
  VISIBLE,
  type Visibility,
} from './record.ts';

export interface Filter {
  /** Globs. */
  pattern?: string | undefined;
  namespace?: string | undefined;
  created_by?: string | undefined;
  named_only?: boolean | undefined;
  unnamed_only?: boolean | undefined;
  /** All of them. */
  tags?: readonly string[] | undefined;
  visibility?: Visibility | undefined;
  type?: 'capability' | 'mcp-server' | undefined;
  sort_by?: keyof typeof ORDERS | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface ListedCapability {
  id: string;
  name: string;
  description: string;
  usage_count: number;
  success_rate: number;
  parameters: string[];
  tags: readonly string[];
  visibility: Visibility;
  version: number;
  routing: Routing;
  /** Why it no longer fits the tools it was written for. */
  stale?: string;
  /** Why it is not in the list of tools, though it has a name. */
  unlisted?: string;
}

const ORDERS = {
  usage: 'r.usage_count desc, r.display_name, r.id',
  name: 'r.display_name, r.id',
  created: 'r.created_at desc, r.id',
} as const;

/** A name without a colon belongs to the namespace of its identity. */
const NAMESPACE = `case when position(':' in r.display_name) > 1 then split_part(r.display_name, ':', 1) else r.namespace end`;

const MATCHING = `from ${FROM_ANY}
  where ${VISIBLE} and r.record_type = $4
    and ($5::text is null or r.display_name like $5)
    and ($6::text is null or ${NAMESPACE} like $6)
    and ($7::text is null or r.created_by like $7)
    and ($8::boolean is null or r.named = $8)
    and ($9::text[] is null or r.tags @> $9)
    and ($10::text is null or r.visibility = $10)`;

/** What a principal sees, filtered, sorted, one page of it, and how many there are. */
export async function query(
  db: Queryable,
  who: Principal,
  filter: Filter,
  lifecycle?: Lifecycle,
): Promise<{ capabilities: ListedCapability[]; total: number }> {
  const { sort_by = 'usage', limit = 50, offset = 0 } = filter;
  // Both at once ask for what is named and is not.
  if (filter.named_only && filter.unnamed_only) return { capabilities: [], total: 0 };
  const values = [...asking(who), ...conditions(filter)];
  const page = await db.query<Capability & Evidence>(
    `select ${CAPABILITY}, r.last_used_at as "lastUsedAt", r.recent ${MATCHING} order by ${ORDERS[sort_by]} limit $11 offset $12`,
    [...values, limit, offset],
  );
  const count = await db.query<{ total: number }>(`select count(*) as total ${MATCHING}`, values);
  return {
    capabilities: page.rows.map((row) => ({ ...listed(who, row), ...unlisted(row, lifecycle) })),
    total: count.rows[0]?.total ?? 0,
  };
}

function conditions({ pattern, namespace, created_by, tags, visibility, ...rest }: Filter): unknown[] {
  const { type = 'capability', named_only, unnamed_only } = rest;
  const globs = [pattern, namespace, created_by].map((glob) =>
    glob === undefined ? null : likePattern(glob),
  );
  const named = named_only ? true : unnamed_only ? false : null;
  return [type, ...globs, named, tags ?? null, visibility ?? null];
}

function unlisted(row: Capability & Evidence, lifecycle: Lifecycle | undefined): { unlisted?: string } {
  const isOut =
    lifecycle && row.named && row.type === 'capability' && standingOf(row, lifecycle) !== 'listed';
  return isOut ? { unlisted: explainStanding(row, lifecycle) } : {};
}

function listed(who: Principal, capability: Capability): ListedCapability {
  const { id, description, tags, visibility, version, routing, parametersSchema, stale } = capability;
  return {
    id,
    // A server is found by its name from anywhere.
    name: capability.type === 'mcp-server' ? capability.name : nameFor(who, capability),
    description,
    usage_count: capability.usageCount,
    success_rate: successRate(capability),
    parameters: Object.keys((parametersSchema?.properties ?? {}) as object),
    tags,
    visibility,
    version,
    routing,
    ...(stale !== null && { stale }),
  };
}
