import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';
import { FROM_CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { likePattern } from './glob.ts';

/** A capability with all that a name, a description and tags can be made of. */
export interface NameableRecord
  extends Pick<
    Capability,
    | ('fqdn' | 'id' | 'name' | 'named' | 'version' | 'description' | 'intent' | 'createdBy' | 'code')
    | ('parametersSchema' | 'toolsUsed' | 'tags' | 'usageCount')
  > {
  /** The schema of its results, as far as it is known. */
  readonly outputSchema: JsonSchema | null;
}

export interface NameableFilter {
  unnamed_only?: boolean | undefined;
  /** A glob on the namespace. */
  namespace?: string | undefined;
  min_usage?: number | undefined;
  limit: number;
}

/** An unnamed capability that was called this often is pointed out. */
export const OFTEN = 5;

const MAX_CODE = 20_000;
const MAX_SCHEMA = 32_768;

const NAMEABLE = `select r.id as fqdn, r.uid::text as id, r.display_name as name, r.named, r.version, r.description, r.intent,
    r.created_by as "createdBy", left(p.code_snippet, ${MAX_CODE}) as code, r.tools_used as "toolsUsed", r.tags,
    r.usage_count as "usageCount",
    case when pg_column_size(p.parameters_schema) > ${MAX_SCHEMA} then '{"type": "object"}'::jsonb
      else p.parameters_schema end as "parametersSchema",
    case when pg_column_size(o.declared) <= ${MAX_SCHEMA} then o.declared end as "outputSchema"
  from ${FROM_CAPABILITY} left join capability_outputs o on o.fqdn = r.id and o.version = r.version
  where ${VISIBLE} and r.org = $1 and r.project = $2 and r.record_type = 'capability' and (r.created_by = $3 or $5)
    and (not $6 or not r.named) and r.usage_count >= $7
    and ($8::text is null or case when position(':' in r.display_name) > 1 then split_part(r.display_name, ':', 1)
      else r.namespace end like $8)
  order by r.usage_count desc, r.created_at, r.id limit $9`;

/** Lists the capabilities of its scope that a principal may rename, the most used first. */
export async function listNameable(
  db: Queryable,
  who: Principal,
  { unnamed_only = true, namespace, min_usage = 0, limit }: NameableFilter,
): Promise<NameableRecord[]> {
  const { rows } = await db.query<NameableRecord>(
    NAMEABLE,
    [
      ...principalParameters(who),
      who.admin === true,
      unnamed_only,
      min_usage,
      namespace === undefined ? null : likePattern(namespace),
      limit,
    ],
    { prepare: false },
  );
  return rows;
}

/** Reads how often a capability was called. Calls of the last moments may not be counted yet. */
export async function usesOf(db: Queryable, fqdn: string): Promise<number> {
  const { rows } = await db.query<{ uses: number }>(
    'select usage_count as uses from capability_records where id = $1',
    [fqdn],
  );
  return rows[0]?.uses ?? 0;
}
