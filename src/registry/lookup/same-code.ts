import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';
import { CAPABILITY, FROM_CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';

const SAME_CODE = `select ${CAPABILITY} from ${FROM_CAPABILITY}
  where ${VISIBLE} and r.code_hash = $5 and r.org = $1 and r.project = $2
  order by r.created_by = $3 desc, r.created_at limit 1`;

/** Finds a capability of the principal's scope that has the same code, however it is formatted and whatever its locals are called. */
export async function findSameCode(
  db: Queryable,
  who: Principal,
  codeHash: string,
): Promise<Capability | undefined> {
  const { rows } = await db.query<Capability>(SAME_CODE, [...principalParameters(who), codeHash]);
  return rows[0];
}
