import type { Queryable } from '../../store/index.ts';
import { type Capability, nameTaken, type Scope } from '../record/capability.ts';
import { assertValidName, listedName, looseName } from '../record/names.ts';
import type { Keys } from '../trust/keys.ts';
import { signClaim, signHead } from '../trust/record-head.ts';

/** How much of a hash follows a listed name that another one already has. */
const SUFFIXES = [0, 6, 12, 24];

/** Fails if this name could not be given in the scope. Asked before code runs, settled when the name is claimed. */
export async function assertNameFree(db: Queryable, scope: Scope, name: string): Promise<void> {
  assertValidName(name);
  const { rows } = await db.query(
    `select 1 from capability_names n join capability_records r on r.id = n.fqdn
     where n.org = $1 and n.project = $2 and n.name = $3 and (r.reserved_until is null or r.reserved_until >= now())`,
    [scope.org, scope.project, name],
  );
  if (rows.length > 0) throw nameTaken(name, scope);
}

/**
 * Gives a record a name, which may be a former one of its own, and answers the name it is then listed by. The database
 * decides who owns a name: two claims cannot both win. Without keys the claim is not signed: a server's record never runs.
 */
export async function claimName(
  tx: Queryable,
  keys: Keys | undefined,
  scope: Scope,
  name: string,
  { fqdn, namespace }: { fqdn: string; namespace: string },
): Promise<string> {
  for (const suffix of SUFFIXES) {
    const listed = listedName(name, namespace, suffix);
    const { org, project } = scope;
    const signature = keys ? signClaim(keys, { org, project, name, listedName: listed, fqdn }) : null;
    const { rowCount } = await tx.query(
      `insert into capability_names (org, project, name, loose_name, listed_name, fqdn, signature)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
      [org, project, name, looseName(name), listed, fqdn, signature],
    );
    if (rowCount > 0) return listed;
    const former = await takeOver(tx, keys, scope, name, fqdn);
    if (former !== undefined) return former;
    // The name is free, but another one is listed the same way.
  }
  throw nameTaken(name, scope);
}

/** Claims a name that was not simply free, and gives it to the record as far as it is not its own yet. */
export async function nameAs(
  tx: Queryable,
  keys: Keys,
  capability: Capability,
  name: string,
): Promise<Capability> {
  const listed = await claimName(tx, keys, capability, name, capability);
  const named = { ...capability, name, listedName: listed };
  await tx.query(
    'update capability_records set display_name = $2, listed_name = $3, head_signature = $4 where id = $1',
    [capability.fqdn, name, listed, signHead(keys, named)],
  );
  return named;
}

/** The listed name of a claim that exists already, if it is the record's own or its owner has been retired long enough. */
async function takeOver(
  tx: Queryable,
  keys: Keys | undefined,
  scope: Scope,
  name: string,
  fqdn: string,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ fqdn: string; listed: string }>(
    `select fqdn, listed_name as listed from capability_names
     where org = $1 and project = $2 and name = $3 for no key update`,
    [scope.org, scope.project, name],
  );
  const [claim] = rows;
  if (!claim || claim.fqdn === fqdn) return claim?.listed;
  // Asked after the claim is locked: whoever restores the owner locks the claim too, and has finished by now.
  const expired = await tx.query(
    `select 1 from capability_records where id = $1 and reserved_until < now()`,
    [claim.fqdn],
  );
  if (expired.rows.length === 0) throw nameTaken(name, scope);
  const { org, project } = scope;
  const signature = keys ? signClaim(keys, { org, project, name, listedName: claim.listed, fqdn }) : null;
  await tx.query(
    `update capability_names set fqdn = $4, created_at = now(), signature = $5
     where org = $1 and project = $2 and name = $3`,
    [org, project, name, fqdn, signature],
  );
  return claim.listed;
}
