import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { hold } from '../lookup/resolve.ts';
import { type Held, notFound } from '../record/capability.ts';
import type { Keys } from '../trust/keys.ts';
import { assertSigned, type HeadProof } from '../trust/record-head.ts';

interface Owned {
  createdBy: string;
  org: string;
  project: string;
}

/** Who may change a record: its creator, and the admins of its scope. Everyone else who sees it may fork it. */
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
 * Finds what a principal wants to change, and holds it until the transaction ends. What was changed behind the back of PML
 * must not get a good signature by being changed again, least of all by somebody who is not its maker.
 */
export async function lockForChange(tx: Queryable, keys: Keys, who: Principal, name: string): Promise<Held> {
  const found = await lockUnchecked(tx, who, name);
  await assertSigned(keys, found, tx);
  const { action, hash, retired, headSignature, ...held } = found;
  return held;
}

/** As `lockForChange`; what the record says of itself is still to be checked. */
export async function lockUnchecked(tx: Queryable, who: Principal, name: string): Promise<Held & HeadProof> {
  refuseVersion(name);
  const found = await hold(tx, who, name);
  if (!found) throw notFound(name);
  assertMayChange(who, found);
  return found;
}

/** What was kept as a version stays as it is. */
export function refuseVersion(name: string): void {
  const at = name.lastIndexOf('@');
  if (at <= 0) return;
  throw new PmlError(
    'bad_request',
    `A version cannot be changed. Name the capability without "${name.slice(at)}".`,
  );
}
