import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { find, reread } from '../lookup/resolve.ts';
import { announce } from '../record/announce.ts';
import { asking, type Capability, MAY_SEE, notFound } from '../record/capability.ts';
import type { Keys } from '../trust/keys.ts';
import { assertSigned, readHead, signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { claimName } from './claim-name.ts';
import { freeName } from './create.ts';
import { assertMayChange, lockForChange, refuseVersion } from './permissions.ts';

/** Takes a capability out of use. Its names stay its own for some days, its identity for ever. */
export async function retire(
  { db, keys }: Registry,
  who: Principal,
  name: string,
  reserveDays: number,
): Promise<Capability> {
  return db.transaction(async (tx) => {
    const held = await lockForChange(tx, keys, who, name);
    const [, , retired] = await Promise.all([
      tx.query(
        `update capability_records set retired_at = now(), reserved_until = now() + $2 * interval '1 day',
           updated_by = $3, updated_at = now(), head_signature = $4 where id = $1`,
        [held.fqdn, reserveDays, who.user, signHead(keys, held, true)],
      ),
      announce(tx, held, 'retired'),
      reread(tx, held.fqdn),
    ]);
    return retired;
  });
}

/** Brings a retired capability back, under its name if that is still its own, else under an automatic one. */
export async function restore({ db, keys }: Registry, who: Principal, name: string): Promise<Capability> {
  refuseVersion(name);
  return db.transaction(async (tx) => {
    const retired = await lockRetired(tx, who, name);
    if (!retired) {
      const inUse = await find(tx, who, name);
      if (inUse) return inUse;
      throw notFound(name);
    }
    assertMayChange(who, retired);
    await assertSigned(keys, await readHead(tx, retired.fqdn), tx);
    const { given, listed } = await nameAgain(tx, keys, retired);
    const named = retired.named && given === retired.name;
    const head = { ...retired, name: given, listedName: listed, named };
    await tx.query(
      `update capability_records set retired_at = null, reserved_until = null, display_name = $2, listed_name = $3,
         named = $4, updated_by = $5, updated_at = now(), last_used_at = now(), recent = '', head_signature = $6
       where id = $1`,
      [retired.fqdn, given, listed, named, who.user, signHead(keys, head)],
    );
    await announce(tx, retired, 'named');
    return reread(tx, retired.fqdn);
  });
}

/** By the name as it is given before the one that `cap:` may stand before. */
const RETIRED = `select r.id from capability_records r
  where ${MAY_SEE} and r.retired_at is not null and (r.id = $5 or r.uid::text = $5 or exists (
    select 1 from capability_names n
    where n.fqdn = r.id and n.org = $1 and n.project = $2 and (n.name in ($4, $5) or n.listed_name = $5)))
  order by r.display_name = $4 desc limit 1 for no key update`;

async function lockRetired(tx: Queryable, who: Principal, name: string): Promise<Capability | undefined> {
  if (name.includes('\0')) return undefined;
  const { rows } = await tx.query<{ id: string }>(RETIRED, [...asking(who), name, name.replace(/^cap:/, '')]);
  return rows[0] && reread(tx, rows[0].id);
}

/** Claims the name anew, which settles it against whoever takes it over at this moment because its time is up. */
async function nameAgain(
  tx: Queryable,
  keys: Keys,
  retired: Capability,
): Promise<{ given: string; listed: string }> {
  try {
    return { given: retired.name, listed: await claimName(tx, keys, retired, retired.name, retired) };
  } catch (error) {
    if (!(error instanceof PmlError) || error.code !== 'name_taken') throw error;
    const given = await freeName(tx, retired, retired.codeHash);
    return { given, listed: await claimName(tx, keys, retired, given, retired) };
  }
}
