import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { successRate, type Visibility } from '../record/capability.ts';
import { maySee, principalParameters, VISIBLE } from '../record/visibility.ts';

/** A capability that does the same as another one, or makes the same calls. */
export interface Duplicate {
  readonly id: string;
  readonly fqdn: string;
  readonly name: string;
  readonly named: boolean;
  readonly usageCount: number;
  readonly successCount: number;
  readonly callers: number;
  readonly visibility: Visibility;
  readonly parametersSchema: JsonSchema;
}

/** Capabilities that duplicate each other: one of them would be enough. */
export interface DuplicateGroup {
  /** Whether they are one procedure, or only make the same calls in the same order. */
  readonly likeness: 'procedure' | 'calls';
  /** The one to keep comes first: one that others call, then a named one, then the most successful. */
  readonly twins: readonly Duplicate[];
}

const MAX_GROUPS = 20;
/** How many of a group are compared; a procedure that is written in a loop may be there a thousand times. */
const MAX_COMPARED = 100;
const MAX_TWINS = 10;

const MINE = `${VISIBLE} and r.org = $1 and r.project = $2 and r.record_type = 'capability' and (r.created_by = $3 or $5)`;

const MEMBERS = `json_agg(json_build_object('id', r.uid::text, 'fqdn', r.id, 'name', r.display_name,
      'named', r.named, 'usageCount', r.usage_count, 'successCount', r.success_count, 'visibility', r.visibility,
      'callers', coalesce(l.count, 0),
      'parametersSchema', case when pg_column_size(p.parameters_schema) > 32768 then '{}'::jsonb else p.parameters_schema end)
      order by r.created_at, r.id)`;

/**
 * Selects the members of each group as one JSON array. Forks are left out: they are duplicates on purpose. Groups are
 * found first, so that schemas and callers are read for their members alone.
 */
function groupsSql(likeness: DuplicateGroup['likeness'], key: string): string {
  const alike = `capability_records r where ${MINE} and r.forked_from is null and r.${key} is not null`;
  return `with groups as (
      select r.${key} as key, sum(r.usage_count) as used, min(r.id) as first from ${alike}
      group by r.${key} having count(*) > 1 order by used desc, first limit ${MAX_GROUPS}),
    members as (
      select m.id, g.used, g.first from groups g cross join lateral (
        select r.id from ${alike} and r.${key} = g.key
        order by r.named desc, r.success_count desc, r.created_at, r.id limit ${MAX_COMPARED}) m),
    callers as (
      select u.callee, count(*) as count from capability_uses u join capability_records c on c.id = u.fqdn and c.version = u.version
      where u.callee in (select id from members) and c.retired_at is null and ${maySee('c')} group by u.callee)
    select '${likeness}' as likeness, ${MEMBERS} as twins
    from members m join capability_records r on r.id = m.id join workflow_pattern p on p.id = r.pattern_id
      left join callers l on l.callee = m.id
    group by m.used, m.first order by m.used desc, m.first`;
}

/** Pairs that did the same in a replay, at the versions that they still have. */
const SAME_IN_REPLAY = `with pairs as (
    select w.kept, w.twin from capability_twins w join capability_records k on k.id = w.kept and k.version = w.kept_version
      join capability_records t on t.id = w.twin and t.version = w.twin_version
    where k.retired_at is null and t.retired_at is null order by w.noted_at desc limit ${MAX_GROUPS}),
  members as (select p.kept as pair, p.kept as id from pairs p union select p.kept, p.twin from pairs p)
  select 'procedure' as likeness, ${MEMBERS} as twins
  from members m join capability_records r on r.id = m.id join workflow_pattern p on p.id = r.pattern_id
    cross join lateral (select count(*) as count from capability_uses u
      join capability_records c on c.id = u.fqdn and c.version = u.version
      where u.callee = m.id and c.retired_at is null and ${maySee('c')}) l
  where ${MINE} group by m.pair having count(*) > 1`;

const SAME_PROCEDURE = groupsSql('procedure', 'code_hash');
const SAME_CALLS = groupsSql('calls', 'calls_hash');

/** Finds duplicates among the capabilities that the principal may change, groups of one procedure first. */
export async function findDuplicateGroups(db: Queryable, who: Principal): Promise<DuplicateGroup[]> {
  const parameters = [...principalParameters(who), who.admin === true];
  const groups: DuplicateGroup[] = [];
  for (const statement of [SAME_PROCEDURE, SAME_IN_REPLAY, SAME_CALLS])
    groups.push(...(await db.query<DuplicateGroup>(statement, parameters)).rows);
  return groups.map(({ likeness, twins }) => ({
    likeness,
    twins: [...twins].sort(byMerit).slice(0, MAX_TWINS),
  }));
}

/** Capabilities that others call cannot be folded, so they go first; then named ones, then the most successful. */
function byMerit(a: Duplicate, b: Duplicate): number {
  return (
    Number(b.callers > 0) - Number(a.callers > 0) ||
    Number(b.named) - Number(a.named) ||
    b.successCount - a.successCount ||
    (successRate(b) ?? 0) - (successRate(a) ?? 0)
  );
}
