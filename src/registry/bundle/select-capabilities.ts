import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import { refuseVersion } from '../acts/permissions.ts';
import { resolve } from '../lookup/resolve.ts';
import type { Capability } from '../record/capability.ts';
import { CAPABILITY, FROM_CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import type { Registry } from '../trust/signature.ts';
import { likePattern } from '../views/glob.ts';

/** How many capabilities may be asked for. */
const MAX_ASKED = 1000;

/** Finds capabilities by names and globs; without any, all that the principal named in its scope. */
export async function selectCapabilities(
  { db }: Registry,
  who: Principal,
  names: readonly string[],
): Promise<Capability[]> {
  const found = new Map<string, Capability>();
  const globs = names.length === 0 ? ['*'] : names.filter((name) => /[*?]/.test(name));
  for (const glob of globs) {
    const { rows } = await db.query<Capability>(
      `select ${CAPABILITY} from ${FROM_CAPABILITY}
       where ${VISIBLE} and r.org = $1 and r.project = $2 and r.named and r.display_name like $5
         and (r.created_by = $3 or not $6::boolean) order by r.display_name limit $7`,
      [
        ...principalParameters(who),
        likePattern(glob.replaceAll('\0', '')),
        names.length === 0,
        MAX_ASKED + 1,
      ],
    );
    if (rows.length === 0)
      throw new PmlError(
        'capability_not_found',
        names.length === 0 ? 'You have named no capability here yet.' : `No capability matches: ${glob}`,
      );
    for (const row of rows) found.set(row.fqdn, row);
  }
  for (const name of names.filter((one) => !/[*?]/.test(one))) {
    refuseVersion(name);
    const capability = await resolve(db, who, name);
    found.set(capability.fqdn, capability);
  }
  if (found.size <= MAX_ASKED) return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  throw new PmlError('bad_request', `More than ${MAX_ASKED} capabilities do not fit in one bundle.`);
}
