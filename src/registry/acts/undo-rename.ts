import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { resolve } from '../lookup/resolve.ts';
import type { Capability } from '../record/capability.ts';
import type { Renamer } from '../tables/capability-rename-history.ts';
import type { Registry } from '../trust/signature.ts';
import type { PastRename } from './note-rename.ts';
import { refuseVersion } from './permissions.ts';
import { rename } from './rename.ts';

/** The newest rename that neither was undone nor is an undo itself. */
const LAST = `select h.id, h.old_name as "oldName", h.new_name as "newName", h.was_named as "wasNamed"
  from capability_rename_history h
  where h.capability_fqdn = $1 and h.undoes is null and not exists (
    select 1 from capability_rename_history u where u.capability_fqdn = $1 and u.undoes = h.id)
  order by h.id desc limit 1`;

async function lastRename(db: Queryable, fqdn: string): Promise<PastRename | undefined> {
  const { rows } = await db.query<PastRename>(LAST, [fqdn]);
  return rows[0];
}

/** Gives a capability back the name it had before its last rename. Undoing again goes back one more. */
export async function undoRename(
  registry: Registry,
  who: Principal,
  name: string,
  renamedBy?: Renamer,
): Promise<Capability> {
  refuseVersion(name);
  const capability = await resolve(registry.db, who, name);
  const undoes = await lastRename(registry.db, capability.fqdn);
  if (!undoes) throw new PmlError('bad_request', `"${capability.name}" has no rename left to undo.`);
  return rename(registry, who, capability.fqdn, { newName: undoes.oldName, renamedBy, undoes });
}
