import { PmlError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { Queryable } from '../store/index.ts';
import { asking, type Capability, notFound, VISIBLE } from './record.ts';
import { find, reread } from './resolve.ts';

/** Who may change a record: its creator, and the admins of its scope. Everyone else who sees it may fork it. */
export function mayChange(who: Principal, { createdBy, org, project }: Capability): boolean {
  return who.user === createdBy || (who.admin === true && who.org === org && who.project === project);
}

export function assertMayChange(who: Principal, capability: Capability): void {
  if (mayChange(who, capability)) return;
  throw new PmlError(
    'not_allowed',
    `Only ${capability.createdBy}, who made "${capability.name}", and the admins of its scope may change it.`,
    { hint: 'Fork it with cap_fork to have a copy of your own.' },
  );
}

/** Finds what a principal wants to change, and holds it until the transaction ends. */
export async function lockForChange(tx: Queryable, who: Principal, name: string): Promise<Capability> {
  refuseVersion(name);
  const found = await find(tx, who, name);
  if (!found) throw notFound(name);
  assertMayChange(who, found);
  // The record alone, and read again after: what is joined to it would still be what it was before the wait.
  const { rows } = await tx.query(
    `select 1 from capability_records r where ${VISIBLE} and r.id = $4 for no key update`,
    [...asking(who), found.fqdn],
  );
  if (rows.length === 0) throw notFound(name);
  return reread(tx, found.fqdn);
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
