import { ALL_CAPABILITIES, type Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { MAY_SEE, principalParameters, VISIBLE } from '../record/visibility.ts';

/** True if the principal may see a record, which may be retired. */
export async function maySeeRecord(db: Queryable, who: Principal, fqdn: string): Promise<boolean> {
  const { rows } = await db.query(`select 1 from capability_records r where ${MAY_SEE} and r.id = $5`, [
    ...principalParameters(who),
    fqdn,
  ]);
  return rows.length > 0;
}

/** True unless the principal is an agent that may use only the capabilities that its config names. */
export function seesAllCapabilities({ grants }: Principal): boolean {
  return grants === undefined || grants.records.includes(ALL_CAPABILITIES);
}

const GRANTED = `select distinct r.id from capability_names n join capability_records r on r.id = n.fqdn
  where n.org = $1 and n.project = $2 and n.name = any($4) and ${VISIBLE}`;

/** Finds the capabilities that an agent's config names, by FQDN; undefined if it may use all that its user sees. */
export async function grantedCapabilities(
  db: Queryable,
  who: Principal,
): Promise<ReadonlySet<string> | undefined> {
  if (seesAllCapabilities(who)) return undefined;
  if (!who.grants?.hasCapabilities) return new Set();
  const { rows } = await db.query<{ id: string }>(GRANTED, principalParameters(who));
  return new Set(rows.map(({ id }) => id));
}
