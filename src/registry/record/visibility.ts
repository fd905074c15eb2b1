import { ALL_CAPABILITIES, type Principal } from '../../principal.ts';

/** The parameters of every condition below: always $1 to $4. The last is null for a principal that is no agent. */
export function principalParameters({
  org,
  project,
  user,
  grants,
}: Principal): [string, string, string, readonly string[] | null] {
  return [org, project, user, grants?.records ?? null];
}

/**
 * Condition that the config of the principal's agent names record `r`, by a current or former name in the principal's
 * scope. So a renamed capability stays granted, and a name that was given to another record grants that one. A subquery
 * in place of the function would have every lookup planned anew (docs/decisions/011-registry-speed.md).
 */
function isGranted(r: string): string {
  return `($4::text[] is null or (${r}.record_type = 'capability' and '${ALL_CAPABILITIES}' = any($4))
    or ${r}.id = any((select granted_capabilities($1, $2, $4))::text[]))`;
}

/** Condition that a principal may see record `r`. Records that it may not see do not exist for it. */
export function maySee(r: string): string {
  return `(${isGranted(r)} and (${r}.visibility = 'public' or ${r}.created_by = $3
    or (${r}.visibility = 'org' and ${r}.org = $1)
    or (${r}.visibility = 'project' and ${r}.org = $1 and ${r}.project = $2)))`;
}

export const MAY_SEE = maySee('r');

/** Condition that a principal may see record `r`, and that it is in use. */
export const VISIBLE = `(r.retired_at is null and ${MAY_SEE})`;

/** `maySee` as four conditions that do not overlap, each a range of an index. */
export function visibleRanges(r: string): string[] {
  const shared = [
    `${r}.visibility = 'public'`,
    `${r}.visibility = 'org' and ${r}.org = $1`,
    `${r}.visibility = 'project' and ${r}.org = $1 and ${r}.project = $2`,
  ];
  const ranges = [...shared, `${r}.created_by = $3 and not (${shared.join(' or ')})`];
  return ranges.map((range) => `${range} and ${isGranted(r)}`);
}

/**
 * Condition that the principal's agent may use the tool in row `u` of the journal, or that it is one of PML's own. On a
 * server that only this agent has, only its own calls count.
 */
export function isUsableTool(u: string, ownServer: string): string {
  const isNamed = (prefix: string) =>
    `(${prefix}'tool ' || ${u}.server_id) = any($4) or (${prefix}'tool ' || ${u}.server_id || ':' || ${u}.tool) = any($4)`;
  return `($4::text[] is null or ${u}.server_id = '${ownServer}' or ${isNamed('')}
    or (${u}.user_id = $3 and (${isNamed(`${u}.agent || ' ' || `)})))`;
}
