import { suggestNames } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { find, reread } from '../lookup/resolve.ts';
import { RETIRED, retiredParameters } from '../lookup/retired.ts';
import { announce } from '../record/announce.ts';
import { type Capability, notFound } from '../record/capability.ts';
import { MAY_SEE, principalParameters } from '../record/visibility.ts';
import { changedBy, updateRecord } from '../tables/capability-records.ts';
import { NOW, run, sql } from '../tables/sql.ts';
import type { Keys } from '../trust/keys.ts';
import { assertHeadSigned, readHead, signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { freeName } from './automatic-name.ts';
import { claimName } from './claim-name.ts';
import { unfold } from './fold.ts';
import { assertMayChange, lockForChange, refuseVersion } from './permissions.ts';

/** Takes a capability out of use. Its names stay reserved for some days, its identity for ever. */
export async function retire(
  { db, keys }: Registry,
  who: Principal,
  name: string,
  reserveDays: number,
): Promise<Capability> {
  return db.transaction(async (tx) => {
    const record = await lockForChange(tx, keys, who, name);
    const update = updateRecord(record.fqdn, {
      retired_at: NOW,
      reserved_until: sql`now() + ${reserveDays} * interval '1 day'`,
      ...changedBy(who.user),
      head_signature: signHead(keys, record, true),
    });
    const [, , retired] = await Promise.all([
      run(tx, update),
      announce(tx, record, 'retired'),
      reread(tx, record.fqdn),
    ]);
    return retired;
  });
}

/**
 * Brings a retired capability back, under its name if that is still its own, else under an automatic one. It is listed again,
 * whatever its latest calls were; with `keepsEvidence` they count as before, as if it had never been retired.
 */
export async function restore(
  { db, keys }: Registry,
  who: Principal,
  name: string,
  { keepsEvidence = false } = {},
): Promise<Capability> {
  refuseVersion(name);
  return db.transaction(async (tx) => {
    const retired = await lockRetired(tx, who, name);
    if (!retired) {
      const inUse = await find(tx, who, name);
      if (inUse) return inUse;
      throw await unknownRetired(tx, who, name);
    }
    assertMayChange(who, retired);
    await assertHeadSigned(keys, await readHead(tx, retired.fqdn), tx);
    await unfold(tx, keys, retired.fqdn);
    const { name: reclaimed, listedName } = await reclaimName(tx, keys, retired);
    const named = retired.named && reclaimed === retired.name;
    const head = { ...retired, name: reclaimed, listedName, named };
    const update = updateRecord(retired.fqdn, {
      retired_at: null,
      reserved_until: null,
      display_name: reclaimed,
      listed_name: listedName,
      named,
      ...changedBy(who.user),
      ...(!keepsEvidence && { last_used_at: NOW, recent: '' }),
      head_signature: signHead(keys, head),
    });
    await run(tx, update);
    await announce(tx, retired, 'named');
    return reread(tx, retired.fqdn);
  });
}

async function lockRetired(tx: Queryable, who: Principal, name: string): Promise<Capability | undefined> {
  const parameters = retiredParameters(who, name);
  if (!parameters) return undefined;
  const { rows } = await tx.query<{ id: string }>(`${RETIRED} for no key update`, parameters);
  return rows[0] && reread(tx, rows[0].id);
}

/** How many names a misspelt one is compared with. */
const MAX_COMPARED = 2000;

/** The error for a name that no retired capability has; suggests similar names of retired ones. */
async function unknownRetired(tx: Queryable, who: Principal, name: string): Promise<PmlError> {
  const { rows } = await tx.query<{ name: string }>(
    `select r.display_name as name from capability_records r
     where ${MAY_SEE} and r.retired_at is not null and r.org = $1 and r.project = $2
     order by r.retired_at desc, r.id limit ${MAX_COMPARED}`,
    principalParameters(who),
  );
  const { code, message } = notFound(name);
  const similar = suggestNames(
    name,
    rows.map((row) => row.name),
  );
  const hint = `Did you mean ${similar.map((one) => `"${one}"`).join(' or ')}?`;
  return new PmlError(code, message, similar.length > 0 ? { hint } : {});
}

/** Claims the name again, or an automatic one if it is taken. The claim settles a race for an expired name. */
async function reclaimName(
  tx: Queryable,
  keys: Keys,
  retired: Capability,
): Promise<{ name: string; listedName: string }> {
  try {
    const { name } = retired;
    return { name, listedName: await claimName(tx, keys, retired, name, retired) };
  } catch (error) {
    if (!(error instanceof PmlError) || error.code !== 'name_taken') throw error;
    const name = await freeName(tx, retired, retired.codeHash);
    return { name, listedName: await claimName(tx, keys, retired, name, retired) };
  }
}
