import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { HOLD_DRIFT } from '../drift/dependencies.ts';
import { announce } from '../record/announce.ts';
import {
  asking,
  CAPABILITY,
  type Capability,
  FROM_CAPABILITY,
  type Routing,
  VISIBLE,
} from '../record/capability.ts';
import type { Keys } from '../trust/keys.ts';
import { assertSigned, readHead, signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { claimName } from './claim-name.ts';
import { create, type Pattern } from './create.ts';

/** What a run that succeeded leaves to be remembered. */
export interface Learned extends Pattern {
  namespace: string;
  intent: string;
  name?: string | undefined;
  routing?: Routing;
}

export interface Remembered {
  capability: Capability;
  created: boolean;
  warnings: string[];
}

/** Finds the capability of this code among those the principal sees, or creates it; all or nothing. */
export async function remember(
  { db, keys }: Registry,
  who: Principal,
  learned: Learned,
): Promise<Remembered> {
  return db.transaction(async (tx) => {
    const [, known] = await Promise.all([
      // Two runs of the same code that end in the same instant are one capability.
      tx.query(`select ${HOLD_DRIFT}, pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `${who.org}.${who.project}:${learned.codeHash}`,
      ]),
      (learned.name === undefined ? sameCode : holdSameCode)(tx, who, learned.codeHash),
    ]);
    if (known) return reuse(tx, keys, who, known, learned.name);
    const capability = await create(tx, keys, who, learned);
    return { capability, created: true, warnings: [] };
  });
}

async function sameCode(tx: Queryable, who: Principal, codeHash: string): Promise<Capability | undefined> {
  const { rows } = await tx.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY}
     where ${VISIBLE} and r.org = $1 and r.project = $2 and r.code_hash = $4
     order by r.created_by = $3 desc, r.created_at limit 1`,
    [...asking(who), codeHash],
  );
  return rows[0];
}

/** What is to be named is held first, and looked at again: it may just have got another name, or been retired. */
async function holdSameCode(
  tx: Queryable,
  who: Principal,
  codeHash: string,
): Promise<Capability | undefined> {
  const held = new Set<string>();
  for (;;) {
    const known = await sameCode(tx, who, codeHash);
    if (!known || known.named || held.has(known.fqdn)) return known;
    await tx.query('select 1 from capability_records where id = $1 for no key update', [known.fqdn]);
    held.add(known.fqdn);
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

/** Naming changes only the display name; the FQDN stays, and so does the former name. */
async function nameUnnamed(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  known: Capability,
  name: string,
): Promise<Capability> {
  await assertSigned(keys, await readHead(tx, known.fqdn), tx);
  const listedName = await claimName(tx, keys, who, name, known);
  const named = { ...known, name, listedName, named: true };
  await tx.query(
    `update capability_records set display_name = $2, listed_name = $3, named = true, updated_by = $4, updated_at = now(),
       last_used_at = now(), head_signature = $5
     where id = $1`,
    [known.fqdn, name, listedName, who.user, signHead(keys, named)],
  );
  await announce(tx, known, 'named');
  return named;
}
