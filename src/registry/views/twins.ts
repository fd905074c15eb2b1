import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { successRate, type Visibility } from '../record/capability.ts';
import { maySee, principalParameters, VISIBLE } from '../record/visibility.ts';

/** A capability that does the same as another one, or makes the same calls. */
export interface Twin {
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

/** Capabilities of which one would do. */
export interface TwinGroup {
  /** Whether they are one procedure, or only make the same calls in the same order. */
  readonly likeness: 'procedure' | 'calls';
  /** The one to keep first: others call it, it is named, it is proven. */
  readonly twins: readonly Twin[];
}

const MAX_GROUPS = 20;
const MAX_TWINS = 10;

const MINE = `${VISIBLE} and r.org = $1 and r.project = $2 and r.record_type = 'capability' and (r.created_by = $3 or $5)`;

/** The members of each group in one JSON array. Forks are kept apart on purpose. */
function groupsSql(likeness: TwinGroup['likeness'], from: string, by: string, also: string): string {
  return `select '${likeness}' as likeness, json_agg(json_build_object('id', r.uid::text, 'fqdn', r.id, 'name', r.display_name,
      'named', r.named, 'usageCount', r.usage_count, 'successCount', r.success_count, 'visibility', r.visibility,
      'callers', (select count(*) from capability_uses u join capability_records c on c.id = u.fqdn and c.version = u.version
        where u.callee = r.id and c.retired_at is null and ${maySee('c')}),
      'parametersSchema', case when pg_column_size(p.parameters_schema) > 32768 then '{}'::jsonb else p.parameters_schema end)
      order by r.created_at, r.id) as twins
    from ${from} join workflow_pattern p on p.id = r.pattern_id where ${MINE} and r.forked_from is null and ${also}
    group by ${by} having count(*) > 1 order by sum(r.usage_count) desc, min(r.id) limit ${MAX_GROUPS}`;
}

const SAME_PROCEDURE = groupsSql(
  'procedure',
  'capability_records r join pattern_identities i on i.pattern_id = r.pattern_id and i.form = 0',
  'i.flow_hash, i.holes',
  'i.flow_hash is not null',
);
const SAME_CALLS = groupsSql('calls', 'capability_records r', 'r.calls_hash', 'r.calls_hash is not null');

/** Finds capabilities that the principal may change and of which one would do, those that are one procedure first. */
export async function findTwins(db: Queryable, who: Principal): Promise<TwinGroup[]> {
  const parameters = [...principalParameters(who), who.admin === true];
  const groups: TwinGroup[] = [];
  for (const statement of [SAME_PROCEDURE, SAME_CALLS])
    groups.push(...(await db.query<TwinGroup>(statement, parameters)).rows);
  return groups.map(({ likeness, twins }) => ({
    likeness,
    twins: [...twins].sort(byMerit).slice(0, MAX_TWINS),
  }));
}

/** Capabilities that others call cannot be folded, so they go first; then named ones, then by what proved itself. */
function byMerit(a: Twin, b: Twin): number {
  return (
    Number(b.callers > 0) - Number(a.callers > 0) ||
    Number(b.named) - Number(a.named) ||
    b.successCount - a.successCount ||
    (successRate(b) ?? 0) - (successRate(a) ?? 0)
  );
}
