import type { Principal } from '../../principal.ts';
import { storedTags, storedText } from '../../texts.ts';
import { announce } from '../record/announce.ts';
import { CAPABILITY, type Capability, type Routing, type Visibility } from '../record/capability.ts';
import { assertValidName, listedName, looseName } from '../record/names.ts';
import { signClaim, signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { nameAs } from './claim-name.ts';
import { lockForChange } from './permissions.ts';

/** What to change of a record; what is not given stays. */
export interface Changes {
  newName?: string | undefined;
  description?: string | undefined;
  tags?: readonly string[] | undefined;
  visibility?: Visibility | undefined;
  routing?: Routing | undefined;
}

/** Together with the claim of a new name, if that is free; otherwise what stands in its way is looked at. */
const CHANGE = `with claim as (
    insert into capability_names (org, project, name, loose_name, listed_name, fqdn, signature)
    select r.org, r.project, $2, $11, $3, r.id, $13 from capability_records r where r.id = $1 and $4
    on conflict do nothing returning name
  ), r as (
    update capability_records
    set display_name = $2, listed_name = $3, named = named or $4, description = $5, tags = $6, visibility = $7,
      routing = $8, routing_chosen = routing_chosen or $9, updated_by = $10, updated_at = now(),
      last_used_at = now(), head_signature = $12
    where id = $1 returning *
  )
  select ${CAPABILITY}, exists (select 1 from claim) as "claimed" from r join workflow_pattern p on p.id = r.pattern_id`;

/** Changes a record. Its former names keep working, so neither callers nor stored code break. */
export async function rename(
  { db, keys }: Registry,
  who: Principal,
  name: string,
  { newName, description, tags, visibility, routing }: Changes,
): Promise<Capability> {
  if (newName !== undefined) assertValidName(newName);
  return db.transaction(async (tx) => {
    const held = await lockForChange(tx, keys, who, name);
    const isNew = newName !== undefined && newName !== held.name;
    const plain = isNew ? listedName(newName, held.namespace) : held.listedName;
    const head = {
      ...{ ...held, name: newName ?? held.name, named: held.named || isNew, listedName: plain },
      description: storedText('description', description ?? held.description),
      tags: tags ? storedTags(tags) : held.tags,
      visibility: visibility ?? held.visibility,
    };
    const [{ rows }] = await Promise.all([
      tx.query<Capability & { claimed: boolean }>(CHANGE, [
        ...[held.fqdn, head.name, plain, isNew, head.description, head.tags, head.visibility],
        ...[routing ?? held.routing, routing !== undefined, who.user, looseName(head.name)],
        ...[signHead(keys, head), signClaim(keys, head)],
      ]),
      // Whoever saw it before, or sees it now.
      announce(tx, visibility && visibility !== 'private' ? { ...held, visibility } : held, 'renamed'),
    ]);
    const { claimed, ...renamed } = rows[0] as Capability & { claimed: boolean };
    if (!isNew || claimed) return renamed;
    return nameAs(tx, keys, renamed, newName);
  });
}
