import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import { storedText } from '../../texts.ts';
import { shown } from './names.ts';

export type Visibility = 'private' | 'project' | 'org' | 'public';
export type Routing = 'local' | 'cloud';

/** A named record that points to a pattern. */
export interface Capability {
  readonly type: 'capability' | 'mcp-server';
  readonly fqdn: string;
  readonly id: string;
  readonly name: string;
  readonly named: boolean;
  readonly listedName: string;
  readonly org: string;
  readonly project: string;
  readonly namespace: string;
  readonly description: string;
  readonly intent: string;
  readonly visibility: Visibility;
  readonly version: number;
  readonly versionTag: string | null;
  readonly codeHash: string;
  readonly code: string;
  readonly parametersSchema: JsonSchema;
  readonly toolsUsed: readonly string[];
  readonly tags: readonly string[];
  readonly routing: Routing;
  /** Where the code of a server is. */
  readonly codeUrl: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly usageCount: number;
  readonly successCount: number;
  readonly totalLatencyMs: number;
  /** Why it no longer fits the tools it was written for; null if it fits. */
  readonly stale: string | null;
  /** The former name it was found by. */
  readonly deprecatedAlias?: string;
}

/** A capability as those know it who call it: its counters move with every call, and are read where they are shown. */
export type Callable = Omit<Capability, 'usageCount' | 'successCount' | 'totalLatencyMs'>;

/** What a record says by itself. */
export type Held = Omit<Capability, 'code' | 'parametersSchema' | 'deprecatedAlias'>;

/** The columns of a record `r`. */
export const RECORD = `
  r.record_type as "type", r.code_url as "codeUrl",
  r.id as "fqdn", r.uid::text as "id", r.display_name as "name", r.named, r.listed_name as "listedName",
  r.org, r.project, r.namespace, r.description, r.intent, r.visibility, r.version, r.version_tag as "versionTag",
  r.code_hash as "codeHash", r.tools_used as "toolsUsed", r.tags, r.routing, r.created_by as "createdBy",
  r.created_at as "createdAt", r.usage_count as "usageCount", r.success_count as "successCount",
  r.total_latency_ms as "totalLatencyMs", r.stale`;

/**
 * The columns that lists show besides a name. Without the code, and no larger than a list could show them, whatever is
 * stored: a thousand rows would be hundreds of megabytes.
 */
const LISTED_BYTES = 32_768;
export const LISTED = `left(r.description, ${LISTED_BYTES}) as "description", r.stale, r.usage_count as "usageCount",
  r.success_count as "successCount",
  case when pg_column_size(p.parameters_schema) > ${LISTED_BYTES} then '{"type": "object"}'::jsonb
    else p.parameters_schema end as "parametersSchema"`;

/** The columns of a capability; `r` is its record and `p` its pattern. */
export const CAPABILITY = `${RECORD}, p.code_snippet as "code", p.parameters_schema as "parametersSchema"`;

export const FROM_CAPABILITY = `capability_records r join workflow_pattern p on p.id = r.pattern_id`;
/** With the records of servers, which have no pattern. */
export const FROM_ANY = `capability_records r left join workflow_pattern p on p.id = r.pattern_id`;

/** The parameters that say who is asking: always $1, $2 and $3. */
export function asking(who: Principal): [string, string, string] {
  return [who.org, who.project, who.user];
}

/** What a principal sees, in four parts that do not overlap, each a range of an index. */
export function partsSeen(r: string): string[] {
  const shared = [
    `${r}.visibility = 'public'`,
    `${r}.visibility = 'org' and ${r}.org = $1`,
    `${r}.visibility = 'project' and ${r}.org = $1 and ${r}.project = $2`,
  ];
  return [...shared, `${r}.created_by = $3 and not (${shared.join(' or ')})`];
}

/** What a principal may see. What it may not see does not exist for it. */
export function maySee(r: string): string {
  return `(${r}.visibility = 'public' or ${r}.created_by = $3 or (${r}.visibility = 'org' and ${r}.org = $1)
    or (${r}.visibility = 'project' and ${r}.org = $1 and ${r}.project = $2))`;
}

export const MAY_SEE = maySee('r');

/** What a principal may see and use. */
export const VISIBLE = `(r.retired_at is null and ${MAY_SEE})`;

export interface Scope {
  readonly org: string;
  readonly project: string;
}

/** The share of calls that succeeded. */
export function successRate({
  usageCount,
  successCount,
}: Pick<Capability, 'usageCount' | 'successCount'>): number {
  return usageCount > 0 ? Math.round((successCount / usageCount) * 10_000) / 10_000 : 0;
}

/** The name by which a principal can call it from its own scope. */
export function nameFor(who: Scope, { org, project, name }: Scope & { name: string }): string {
  return org === who.org && project === who.project ? name : `${org}.${project}:${name}`;
}

/** What clients read of it: a stale one says so first. */
export function shownDescription({ description, stale }: Pick<Capability, 'description' | 'stale'>): string {
  const shown = storedText('description', description);
  return stale === null ? shown : `[stale: ${stale}] ${shown}`.trimEnd();
}

export function notFound(name: string): PmlError {
  return new PmlError('capability_not_found', `Capability not found: ${shown(name)}`);
}

export function nameTaken(name: string, { org, project }: Scope): PmlError {
  return new PmlError('name_taken', `Capability name '${name}' already exists in scope ${org}.${project}`);
}
