import { PmlError } from '../../errors.ts';
import { isJsonObject, type JsonSchema, requiredOf } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { reread, resolve } from '../lookup/resolve.ts';
import { announceAll } from '../record/announce.ts';
import type { Capability, CapabilityRecord, Visibility } from '../record/capability.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { foldText, insertFold, takeFold } from '../tables/capability-folds.ts';
import { transferName } from '../tables/capability-names.ts';
import { changedBy, updateRecord } from '../tables/capability-records.ts';
import { NOW, run } from '../tables/sql.ts';
import type { Keys } from '../trust/keys.ts';
import { signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { nameRow } from './claim-name.ts';
import { lockForChange } from './permissions.ts';

const REACH: readonly Visibility[] = ['private', 'project', 'org', 'public'];

/** The capability that stays, the one that was folded into it, and the names that moved to the kept one. */
export interface Folded {
  kept: Capability;
  folded: Capability;
  names: readonly string[];
}

/** Two capabilities at the versions that were compared. */
export interface Compared {
  keep: number;
  fold: number;
}

/**
 * Folds a capability into another that does the same: it is retired, and its names become aliases of the one that is kept.
 * `restore` of the folded one gives them back. With `compared`, it is refused if one of them has changed or the folded one has
 * been named meanwhile.
 */
export async function fold(
  { db, keys }: Registry,
  who: Principal,
  { keep, fold: other, compared }: { keep: string; fold: string; compared?: Compared },
): Promise<Folded> {
  return db.transaction(async (tx) => {
    const [kept, folded] = await lockBoth(tx, keys, who, keep, other);
    if (compared) assertUntouched(kept, folded, compared);
    await assertFoldable(tx, who, await reread(tx, kept.fqdn), await reread(tx, folded.fqdn));
    const names = await giveNames(tx, keys, folded.fqdn, kept.fqdn);
    const row = { fqdn: folded.fqdn, kept: kept.fqdn, names };
    await insertFold(tx, { ...row, signature: keys.sign(foldText(row)) }, who.user);
    const retired = {
      retired_at: NOW,
      reserved_until: null,
      ...changedBy(who.user),
      head_signature: signHead(keys, folded, true),
    };
    await run(tx, updateRecord(folded.fqdn, retired));
    await announceAll(tx, [folded, kept], 'retired');
    return { kept: await reread(tx, kept.fqdn), folded: await reread(tx, folded.fqdn), names };
  });
}

/** Gives a folded capability its names back, except the kept one's current name and those that a third record got. */
export async function unfold(tx: Queryable, keys: Keys, fqdn: string): Promise<void> {
  const row = await takeFold(tx, fqdn);
  const isOwn = row && (await keys.verify(foldText(row), row.signature, tx)) === 'valid';
  if (isOwn) await giveNames(tx, keys, row.kept, fqdn, row.names);
}

/** Locks both records, always in the order of their FQDNs, so that two folds cannot deadlock. */
async function lockBoth(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  keep: string,
  other: string,
): Promise<[CapabilityRecord, CapabilityRecord]> {
  const [kept, folded] = [await resolve(tx, who, keep), await resolve(tx, who, other)];
  if (kept.fqdn === folded.fqdn)
    throw new PmlError('bad_request', `"${keep}" and "${other}" are one capability.`);
  const locked = new Map<string, CapabilityRecord>();
  for (const fqdn of [kept.fqdn, folded.fqdn].sort())
    locked.set(fqdn, await lockForChange(tx, keys, who, fqdn));
  return [kept.fqdn, folded.fqdn].map((fqdn) => locked.get(fqdn)) as [CapabilityRecord, CapabilityRecord];
}

function assertUntouched(kept: CapabilityRecord, folded: CapabilityRecord, { keep, fold }: Compared): void {
  for (const [{ name, version }, was] of [[kept, keep] as const, [folded, fold] as const])
    if (version !== was) throw refused(`"${name}" has a version after ${was} meanwhile.`);
  if (folded.named) throw refused(`"${folded.name}" has been named meanwhile.`);
}

/**
 * Fails if callers of the folded capability would get something else, or nothing. Callers that the principal may not
 * see are ignored: a refusal would reveal them.
 */
async function assertFoldable(
  tx: Queryable,
  who: Principal,
  kept: Capability,
  folded: Capability,
): Promise<void> {
  if (kept.org !== folded.org || kept.project !== folded.project)
    throw refused(`"${folded.name}" lives in another scope than "${kept.name}".`);
  if (REACH.indexOf(kept.visibility) < REACH.indexOf(folded.visibility))
    throw refused(`"${folded.name}" is seen by more users than "${kept.name}".`);
  const differs = parameterDifference(kept.parametersSchema, folded.parametersSchema);
  if (differs !== undefined) throw refused(`"${kept.name}" ${differs}, unlike "${folded.name}".`);
  const { rows } = await tx.query<{ count: number }>(
    `select count(*) as count from capability_uses u join capability_records r on r.id = u.fqdn and r.version = u.version
     where u.callee = $5 and ${VISIBLE}`,
    [...principalParameters(who), folded.fqdn],
  );
  const callers = rows[0]?.count ?? 0;
  if (callers > 0)
    throw refused(
      `${callers} other capabilities call "${folded.name}". Fold "${kept.name}" into it instead.`,
    );
}

/** Says why a call that fits the folded schema would fail the kept one; undefined if it would not. */
export function parameterDifference(kept: JsonSchema, folded: JsonSchema): string | undefined {
  const [known, given] = [kept, folded].map(({ properties }) =>
    isJsonObject(properties) ? properties : {},
  ) as [object, object];
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) return `takes no "${unknown[0]}"`;
  const demanded = requiredOf(kept).filter((name) => !requiredOf(folded).includes(name));
  return demanded.length > 0 ? `demands "${demanded[0]}"` : undefined;
}

interface NameClaim {
  org: string;
  project: string;
  name: string;
  listedName: string;
}

/** Transfers names from one record to another: those in `only` except the current name, or all if there is no list. */
async function giveNames(
  tx: Queryable,
  keys: Keys,
  from: string,
  to: string,
  only?: readonly string[],
): Promise<string[]> {
  const { rows } = await tx.query<NameClaim>(
    `select n.org, n.project, n.name, n.listed_name as "listedName" from capability_names n
     join capability_records r on r.id = n.fqdn
     where n.fqdn = $1 and ($2::text[] is null or (n.name = any($2) and n.name <> r.display_name))
     order by n.name for no key update of n`,
    [from, only ?? null],
  );
  for (const claim of rows) await transferName(tx, nameRow(keys, { ...claim, fqdn: to }));
  return rows.map(({ name }) => name);
}

function refused(message: string): PmlError {
  return new PmlError('bad_request', message);
}
