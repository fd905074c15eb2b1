import { splitVersion } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { MAY_SEE, principalParameters } from '../record/visibility.ts';

/** Selects the retired capability of a name. Prefers the name as it is given ($5) to the name without a prefix `cap:` ($6). */
export const RETIRED = `select r.id, r.display_name as name from capability_records r
  where ${MAY_SEE} and r.retired_at is not null and (r.id = $6 or r.uid::text = $6 or exists (
    select 1 from capability_names n
    where n.fqdn = r.id and n.org = $1 and n.project = $2 and (n.name in ($5, $6) or n.listed_name = $6))
    or exists (select 1 from capability_folds f where f.fqdn = r.id and r.org = $1 and r.project = $2 and f.names @> array[$6::text]))
  order by r.display_name = $5 desc limit 1`;

/** The parameters of `RETIRED`; undefined for a name with a NUL, which PostgreSQL rejects. */
export function retiredParameters(who: Principal, name: string): unknown[] | undefined {
  return name.includes('\0') ? undefined : [...principalParameters(who), name, name.replace(/^cap:/, '')];
}

/** Says that a name belongs to a retired capability, and how to bring it back; undefined if the principal sees none. */
export async function retiredHint(
  db: Queryable,
  who: Principal,
  spelling: string,
): Promise<string | undefined> {
  const parameters = retiredParameters(who, splitVersion(spelling).name);
  const { rows } = parameters ? await db.query<{ name: string }>(RETIRED, parameters) : { rows: [] };
  const [retired] = rows;
  return retired && `"${retired.name}" is retired. cap_restore brings it back.`;
}
