import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import type { VersionKey } from '../drift/dependencies.ts';
import { SHARE_DRIFT_LOCK } from '../drift/drift-lock.ts';
import { findSameCode } from '../lookup/same-code.ts';
import { keysByTools, MAX_FOUND } from '../lookup/same-tools.ts';
import { announce } from '../record/announce.ts';
import type { Capability, Routing } from '../record/capability.ts';
import { changedBy, updateRecord } from '../tables/capability-records.ts';
import { saveVerdicts } from '../tables/parameter-verdicts.ts';
import { NOW, run } from '../tables/sql.ts';
import type { Keys } from '../trust/keys.ts';
import { assertHeadSigned, readHead, signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { claimName } from './claim-name.ts';
import { create } from './create.ts';
import type { Pattern } from './new-version.ts';
import { noteRename } from './note-rename.ts';

/** The code that a successful run leaves to be remembered. */
export interface Learned extends Pattern {
  namespace: string;
  intent: string;
  /** The intent if it is missing. */
  description?: string;
  name?: string | undefined;
  routing?: Routing;
  /** True if it passed a replay of its run. */
  verified?: boolean;
}

export interface Remembered {
  capability: Capability;
  created: boolean;
  warnings: string[];
}

/**
 * Finds the capability of the principal's scope that has the same code, or creates one. `caller` sent the code: if it names
 * the code, only capabilities that it may see are found, so that an agent does not get one that it may not use.
 */
export function remember(
  { db, keys }: Registry,
  who: Principal,
  learned: Learned,
  caller: Principal = who,
): Promise<Remembered> {
  return db.transaction(async (tx) => {
    const known = await lockCode(tx, who, learned, caller);
    return store(tx, keys, who, learned, known);
  });
}

/**
 * Does the same for code that was compared with the capabilities that have the same tools, and does something else. Returns
 * undefined if there are others meanwhile.
 */
export function rememberCompared(
  { db, keys }: Registry,
  who: Principal,
  learned: Learned,
  caller: Principal,
  seen: readonly VersionKey[],
): Promise<Remembered | undefined> {
  return db.transaction(async (tx) => {
    const known = await lockCode(tx, who, learned, caller);
    if (!known && (await hasOthers(tx, who, learned.toolsUsed, seen))) return undefined;
    return store(tx, keys, who, learned, known);
  });
}

/** Finds the same code. Two runs of it that end at the same time become one capability. */
async function lockCode(
  tx: Queryable,
  who: Principal,
  { codeHash, name }: Learned,
  caller: Principal,
): Promise<Capability | undefined> {
  const [, known] = await Promise.all([
    tx.query(`select ${SHARE_DRIFT_LOCK}, pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `${who.org}.${who.project}:${codeHash}`,
    ]),
    name === undefined ? findSameCode(tx, who, codeHash) : lockSameCode(tx, caller, codeHash),
  ]);
  return known;
}

async function store(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  learned: Learned,
  known: Capability | undefined,
): Promise<Remembered> {
  const remembered = known
    ? await reuse(tx, keys, who, known, learned.name)
    : { capability: await create(tx, keys, who, learned), created: true, warnings: [] };
  await saveVerdicts(tx, who, learned.verdicts);
  return remembered;
}

/** True if a capability with the same tools is new or has changed. Others that remember such code wait until this is done. */
async function hasOthers(
  tx: Queryable,
  who: Principal,
  toolsUsed: readonly string[],
  seen: readonly VersionKey[],
): Promise<boolean> {
  const lock = `${who.org}.${who.project}:${[...toolsUsed].sort().join()}`;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [lock]);
  const found = await keysByTools(tx, who, toolsUsed);
  const isKnown = ({ fqdn, version }: VersionKey) =>
    seen.some((one) => one.fqdn === fqdn && one.version === version);
  return seen.length < MAX_FOUND && !found.every(isKnown);
}

/** Locks an unnamed record, then looks again: meanwhile it may have been named or retired. */
async function lockSameCode(
  tx: Queryable,
  who: Principal,
  codeHash: string,
): Promise<Capability | undefined> {
  const locked = new Set<string>();
  for (;;) {
    const known = await findSameCode(tx, who, codeHash);
    const { named, fqdn } = known ?? { named: true, fqdn: '' };
    if (named || locked.has(fqdn)) return known;
    await tx.query('select 1 from capability_records where id = $1 for no key update', [fqdn]);
    locked.add(fqdn);
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

/** Names an unnamed capability. It keeps its FQDN, and its automatic name keeps working. */
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
  await noteRename(tx, who, known, name);
  await announce(tx, known, 'named');
  return named;
}
