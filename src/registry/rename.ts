import type { Principal } from '../principal.ts';
import type { Db } from '../store/index.ts';
import { announce } from './changes.ts';
import { claimName } from './claim.ts';
import { assertValidName } from './names.ts';
import type { Capability, Routing, Visibility } from './record.ts';
import { reread } from './resolve.ts';
import { lockForChange } from './rights.ts';

/** What to change of a record; what is not given stays. */
export interface Changes {
  newName?: string | undefined;
  description?: string | undefined;
  tags?: readonly string[] | undefined;
  visibility?: Visibility | undefined;
  routing?: Routing | undefined;
}

const UPDATE = `update capability_records
  set display_name = $2, listed_name = $3, named = named or $4, description = $5, tags = $6, visibility = $7,
    routing = $8, routing_chosen = routing_chosen or $9, updated_by = $10, updated_at = now(),
    last_used_at = now()
  where id = $1`;

/** Changes a record. Its former names keep working, so neither callers nor stored code break. */
export async function rename(
  db: Db,
  who: Principal,
  name: string,
  { newName, description, tags, visibility, routing }: Changes,
): Promise<Capability> {
  if (newName !== undefined) assertValidName(newName);
  return db.transaction(async (tx) => {
    const held = await lockForChange(tx, who, name);
    const isNew = newName !== undefined && newName !== held.name;
    const listed = isNew ? await claimName(tx, held, newName, held) : held.listedName;
    await tx.query(UPDATE, [
      held.fqdn,
      newName ?? held.name,
      listed,
      isNew,
      description ?? held.description,
      [...new Set(tags ?? held.tags)],
      visibility ?? held.visibility,
      routing ?? held.routing,
      routing !== undefined,
      who.user,
    ]);
    await announce(tx, held, 'renamed');
    return reread(tx, held.fqdn);
  });
}
