import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { seesAllCapabilities } from '../lookup/granted.ts';
import { findForUpdate } from '../lookup/resolve.ts';
import { type CapabilityRecord, notFound } from '../record/capability.ts';
import type { Keys } from '../trust/keys.ts';
import { assertHeadSigned, type HeadProof } from '../trust/record-head.ts';

interface Owned {
  createdBy: string;
  org: string;
  project: string;
}

/** A record may be changed by its creator and the admins of its scope. Everyone else who sees it may fork it. */
export function mayChange(who: Principal, { createdBy, org, project }: Owned): boolean {
  return who.user === createdBy || (who.admin === true && who.org === org && who.project === project);
}

export function assertMayChange(who: Principal, capability: Owned & { name: string }): void {
  if (mayChange(who, capability)) return;
  throw new PmlError(
    'not_allowed',
    `Only ${capability.createdBy}, who made "${capability.name}", and the admins of its scope may change it.`,
    { hint: 'Fork it with cap_fork to have a copy of your own.' },
  );
}

/**
 * An agent whose config lists its capabilities may give only those names: it could not use any other, and must not learn
 * which are taken.
 */
export function assertMayGiveName(who: Principal, name: string): void {
  if (seesAllCapabilities(who) || who.grants?.records.includes(name)) return;
  throw new PmlError('not_allowed', `You may not give the name "${name}".`, {
    hint: 'You may give the names that your config lists for you, and no others.',
  });
}

/**
 * Finds the record that a principal wants to change, and locks it until the transaction ends. Fails if its head is not what
 * was signed: a tampered record must not get a valid signature by being changed again.
 */
export async function lockForChange(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  name: string,
): Promise<CapabilityRecord> {
  const found = await lockUnverified(tx, who, name);
  await assertHeadSigned(keys, found, tx);
  const { action, hash, retired, headSignature, ...record } = found;
  return record;
}

/** As `lockForChange`, but leaves it to the caller to verify the head. */
export async function lockUnverified(
  tx: Queryable,
  who: Principal,
  name: string,
): Promise<CapabilityRecord & HeadProof> {
  refuseVersion(name);
  const found = await findForUpdate(tx, who, name);
  if (!found) throw notFound(name);
  assertMayChange(who, found);
  return found;
}

/** Fails if a version is named: versions are immutable. */
export function refuseVersion(name: string): void {
  const at = name.lastIndexOf('@');
  if (at <= 0) return;
  throw new PmlError(
    'bad_request',
    `A version cannot be changed. Name the capability without "${name.slice(at)}".`,
  );
}
