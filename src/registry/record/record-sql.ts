/** The columns of a record `r` that say how its results are cached. */
export const CACHING = `r.cache_policy as "cachePolicy", r.ttl, r.cache_forced as "cacheForced"`;

/** The columns of a record `r`. */
export const RECORD = `
  r.record_type as "type", r.code_url as "codeUrl",
  r.id as "fqdn", r.uid::text as "id", r.display_name as "name", r.named, r.listed_name as "listedName",
  r.org, r.project, r.namespace, r.description, r.intent, r.visibility, r.version, r.version_tag as "versionTag",
  r.code_hash as "codeHash", r.tools_used as "toolsUsed", r.tags, r.routing, r.created_by as "createdBy",
  r.created_at as "createdAt", r.usage_count as "usageCount", r.success_count as "successCount",
  r.total_latency_ms as "totalLatencyMs", r.stale, ${CACHING}`;

/** The revision of record `r`: changes with every edit, but not with the counters. */
export const REVISION = `r.version || '.' || (extract(epoch from r.updated_at) * 1000000)::bigint`;

/** The columns of a capability; `r` is its record and `p` its pattern. */
export const CAPABILITY = `${RECORD}, p.code_snippet as "code", p.parameters_schema as "parametersSchema"`;

export const FROM_CAPABILITY = `capability_records r join workflow_pattern p on p.id = r.pattern_id`;
/** Includes the records of servers, which have no pattern. */
export const FROM_ANY = `capability_records r left join workflow_pattern p on p.id = r.pattern_id`;

const LISTED_BYTES = 32_768;
/**
 * The columns that lists show besides a name: without the code, and cut to what a list could show, for a thousand whole
 * rows might have hundreds of megabytes.
 */
export const LISTED = `left(r.description, ${LISTED_BYTES}) as "description", r.stale, r.usage_count as "usageCount",
  r.success_count as "successCount",
  case when pg_column_size(p.parameters_schema) > ${LISTED_BYTES} then '{"type": "object"}'::jsonb
    else p.parameters_schema end as "parametersSchema"`;
