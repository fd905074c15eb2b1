import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { maySee, principalParameters } from '../record/visibility.ts';

interface Row {
  fqdn: string;
  tools: string[];
  known: boolean;
}

/** Follows all versions of each capability, because callers may pin any of them. */
const NESTED = `with recursive reached(root, fqdn) as (
    select f collate "C", f collate "C" from unnest($5::text[]) f
    union
    select c.root, n.id from reached c
      join capability_versions v on v.capability_fqdn = c.fqdn join workflow_pattern p on p.id = v.pattern_id
      cross join unnest(p.tools_used) t(callee) join capability_records n on n.id = t.callee
  )
  select c.root as "fqdn", bool_and(coalesce(p.names_callees, false) and r.retired_at is null and ${maySee('r')}) as "known",
    array(select distinct t.callee from reached d
      join capability_versions w on w.capability_fqdn = d.fqdn join workflow_pattern q on q.id = w.pattern_id
      cross join unnest(q.tools_used) t(callee)
      where d.root = c.root and not exists (select 1 from capability_records n where n.id = t.callee)) as "tools"
  from reached c join capability_records r on r.id = c.fqdn
    join capability_versions v on v.capability_fqdn = c.fqdn join workflow_pattern p on p.id = v.pattern_id
  group by c.root`;

/** Tells whether the code of a capability's newest version calls only what it names. */
export async function namesCallees(db: Queryable, fqdn: string): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean | null }>(
    `select p.names_callees as known from capability_records r join workflow_pattern p on p.id = r.pattern_id
     where r.id = $1`,
    [fqdn],
  );
  return rows[0]?.known === true;
}

/**
 * Finds the tools that capabilities call, directly or through others, by FQDN. Undefined for a capability that may call
 * what it does not name, or that calls a capability that is retired or hidden from the principal.
 */
export async function nestedCallees(
  db: Queryable,
  who: Principal,
  fqdns: readonly string[],
): Promise<(fqdn: string) => readonly string[] | undefined> {
  if (fqdns.length === 0) return () => undefined;
  const { rows } = await db.query<Row>(NESTED, [...principalParameters(who), [...new Set(fqdns)]]);
  const tools = new Map(rows.map(({ fqdn, known, tools: all }) => [fqdn, known ? all : undefined]));
  return (fqdn) => tools.get(fqdn);
}
