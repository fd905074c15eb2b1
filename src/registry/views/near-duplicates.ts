import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { asking, maySee } from '../record/capability.ts';

/** Names enough to choose from. */
const SHOWN = 3;

const TWINS = `select t.display_name as name from capability_records r
  join capability_records t on t.org = r.org and t.project = r.project and t.calls_hash = r.calls_hash and t.id <> r.id
  where r.id = $4 and t.retired_at is null and ${maySee('t')}
    and t.forked_from is distinct from r.id and r.forked_from is distinct from t.id
  order by t.named desc, t.usage_count desc, t.display_name limit ${SHOWN}`;

/** Other capabilities of its scope that make the same calls in the same order, the best known first; not its forks. */
export async function nearDuplicatesOf(db: Queryable, who: Principal, fqdn: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(TWINS, [...asking(who), fqdn]);
  return rows.map(({ name }) => name);
}
