import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { SHARE_DRIFT_LOCK } from '../drift/drift-lock.ts';
import { announce } from '../record/announce.ts';
import type { Capability, Routing } from '../record/capability.ts';
import { CAPABILITY, FROM_CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { changedBy, updateRecord } from '../tables/capability-records.ts';
import { NOW, run } from '../tables/sql.ts';
import type { Keys } from '../trust/keys.ts';
import { assertHeadSigned, readHead, signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { claimName } from './claim-name.ts';
import { create } from './create.ts';
import type { Pattern } from './new-version.ts';

/** The code that a successful run leaves to be remembered. */
export interface Learned extends Pattern {
  namespace: string;
  intent: string;
  /** The intent if it is missing. */
  description?: string;
  name?: string | undefined;
  routing?: Routing;
}

export interface Remembered {
  capability: Capability;
  created: boolean;
  warnings: string[];
}

/** Finds the capability with this code among those that the principal sees, or creates it. */
export async function remember(
  { db, keys }: Registry,
  who: Principal,
  learned: Learned,
): Promise<Remembered> {
  return db.transaction(async (tx) => {
    const [, known] = await Promise.all([
      // Two runs of the same code that end at the same time become one capability.
      tx.query(`select ${SHARE_DRIFT_LOCK}, pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `${who.org}.${who.project}:${learned.codeHash}`,
      ]),
      (learned.name === undefined ? findSameCode : lockSameCode)(tx, who, learned.codeHash),
    ]);
    if (known) return reuse(tx, keys, who, known, learned.name);
    const capability = await create(tx, keys, who, learned);
    return { capability, created: true, warnings: [] };
  });
}

async function findSameCode(
  tx: Queryable,
  who: Principal,
  codeHash: string,
): Promise<Capability | undefined> {
  const { rows } = await tx.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY}
     where ${VISIBLE} and r.org = $1 and r.project = $2 and r.code_hash = $4
     order by r.created_by = $3 desc, r.created_at limit 1`,
    [...principalParameters(who), codeHash],
  );
  return rows[0];
}

/** Locks a record that may be named, then looks again: it may just have got another name, or been retired. */
async function lockSameCode(
  tx: Queryable,
  who: Principal,
  codeHash: string,
): Promise<Capability | undefined> {
  const locked = new Set<string>();
  for (;;) {
    const known = await findSameCode(tx, who, codeHash);
    if (!known || known.named || locked.has(known.fqdn)) return known;
    await tx.query('select 1 from capability_records where id = $1 for no key update', [known.fqdn]);
    locked.add(known.fqdn);
  }
}

async function reuse(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  known: Capability,
  name: string | undefined,
): Promise<Remembered> {
  if (name === undefined || name === known.name) return { capability: known, created: false, warnings: [] };
  if (known.named || known.createdBy !== who.user) {
    const warning = `This code is already the capability "${known.name}", which keeps its name.`;
    return { capability: known, created: false, warnings: [warning] };
  }
  return { capability: await nameUnnamed(tx, keys, who, known, name), created: false, warnings: [] };
}

/** Gives a display name; the FQDN and the automatic name stay. */
async function nameUnnamed(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  known: Capability,
  name: string,
): Promise<Capability> {
  await assertHeadSigned(keys, await readHead(tx, known.fqdn), tx);
  const listedName = await claimName(tx, keys, who, name, known);
  const named = { ...known, name, listedName, named: true };
  const update = updateRecord(known.fqdn, {
    display_name: name,
    listed_name: listedName,
    named: true,
    ...changedBy(who.user),
    last_used_at: NOW,
    head_signature: signHead(keys, named),
  });
  await run(tx, update);
  await announce(tx, known, 'named');
  return named;
}
