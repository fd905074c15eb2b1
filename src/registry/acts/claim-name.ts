import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { type Capability, nameTaken, type Scope } from '../record/capability.ts';
import { assertValidName, listedName, looseName } from '../record/capability-name.ts';
import { insertName, type NameRow, transferName } from '../tables/capability-names.ts';
import { updateRecord } from '../tables/capability-records.ts';
import { run } from '../tables/sql.ts';
import type { Keys } from '../trust/keys.ts';
import { type Claim, signClaim, signHead } from '../trust/record-head.ts';
import { assertMayGiveName } from './permissions.ts';

/** Lengths of the hash suffix to try, in turn, when a listed name is taken. */
const SUFFIXES = [0, 6, 12, 24];

/** Fails if the principal could not give this name in its scope. A first check before code runs; the claim itself decides. */
export async function assertNameFree(db: Queryable, who: Principal, name: string): Promise<void> {
  assertValidName(name);
  assertMayGiveName(who, name);
  const { rows } = await db.query(
    `select 1 from capability_names n join capability_records r on r.id = n.fqdn
     where n.org = $1 and n.project = $2 and n.name = $3 and (r.reserved_until is null or r.reserved_until >= now())`,
    [who.org, who.project, name],
  );
  if (rows.length > 0) throw nameTaken(name, who);
}

/** Builds the row of a claim. Servers claim their names without keys, unsigned: their records never run. */
export function nameRow(
  keys: Keys | undefined,
  { org, project, name, listedName: listed, fqdn }: Claim,
): NameRow {
  const signature = keys ? signClaim(keys, { org, project, name, listedName: listed, fqdn }) : null;
  return { org, project, name, loose_name: looseName(name), listed_name: listed, fqdn, signature };
}

/**
 * Gives a record a name, which may be a former one of its own, and returns its listed name. The database decides who owns a
 * name: two claims cannot both win.
 */
export async function claimName(
  tx: Queryable,
  keys: Keys | undefined,
  { org, project }: Scope,
  name: string,
  { fqdn, namespace }: { fqdn: string; namespace: string },
): Promise<string> {
  for (const suffix of SUFFIXES) {
    const row = nameRow(keys, {
      ...{ org, project, name, fqdn },
      listedName: listedName(name, namespace, suffix),
    });
    const { rowCount } = await run(tx, insertName(row));
    if (rowCount > 0) return row.listed_name;
    const former = await takeOver(tx, keys, { org, project, name, fqdn });
    if (former !== undefined) return former;
    // The name is free, but its listed name is taken: try a longer suffix.
  }
  throw nameTaken(name, { org, project });
}

/** Claims a name for a capability, and writes it to its record. */
export async function nameAs(
  tx: Queryable,
  keys: Keys,
  capability: Capability,
  name: string,
): Promise<Capability> {
  const listed = await claimName(tx, keys, capability, name, capability);
  const named = { ...capability, name, listedName: listed };
  const head_signature = signHead(keys, named);
  await run(tx, updateRecord(capability.fqdn, { display_name: name, listed_name: listed, head_signature }));
  return named;
}

/** Returns the listed name of an existing claim if it is the record's own, or if its owner's reservation has ended. */
async function takeOver(
  tx: Queryable,
  keys: Keys | undefined,
  { org, project, name, fqdn }: Omit<Claim, 'listedName'>,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ fqdn: string; listed: string }>(
    `select fqdn, listed_name as listed from capability_names
     where org = $1 and project = $2 and name = $3 for no key update`,
    [org, project, name],
  );
  const [claim] = rows;
  if (!claim || claim.fqdn === fqdn) return claim?.listed;
  // Read after the claim is locked: whoever restores the owner locks the claim too, and has finished by now.
  const expired = await tx.query(
    `select 1 from capability_records where id = $1 and reserved_until < now()`,
    [claim.fqdn],
  );
  if (expired.rows.length === 0) throw nameTaken(name, { org, project });
  await transferName(tx, nameRow(keys, { org, project, name, fqdn, listedName: claim.listed }));
  return claim.listed;
}
