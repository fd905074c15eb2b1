import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { storedTags, storedText } from '../../stored-texts.ts';
import { announce } from '../record/announce.ts';
import { type CachingPatch, patchCaching } from '../record/caching.ts';
import type { Capability, CapabilityRecord, Routing, Visibility } from '../record/capability.ts';
import { assertValidName, listedName } from '../record/capability-name.ts';
import { CAPABILITY, REVISION } from '../record/record-sql.ts';
import { insertNameOfRecord } from '../tables/capability-names.ts';
import { cachedAs, changedBy, updateRecord } from '../tables/capability-records.ts';
import type { Renamer } from '../tables/capability-rename-history.ts';
import { NOW, raw, run, sql } from '../tables/sql.ts';
import { signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { nameAs, nameRow } from './claim-name.ts';
import { noteRename, type PastRename } from './note-rename.ts';
import { assertMayGiveName, lockForChange } from './permissions.ts';

/** The fields of a record to change; the others stay. */
export interface RecordPatch {
  newName?: string | undefined;
  description?: string | undefined;
  tags?: readonly string[] | undefined;
  visibility?: Visibility | undefined;
  routing?: Routing | undefined;
  caching?: CachingPatch | undefined;
  /** Who chose the new name, if not the principal itself. */
  renamedBy?: Renamer | undefined;
  /** The rename that this one takes back. */
  undoes?: PastRename | undefined;
  /** Refuse if it has another name by now: somebody else was faster. */
  expectedName?: string | undefined;
  /** Refuse if it was changed since it had this revision. */
  expectedRevision?: string | undefined;
}

/** Changes the fields of a record. Its former names keep working, so neither callers nor stored code break. */
export async function rename(
  { db, keys }: Registry,
  who: Principal,
  name: string,
  {
    newName,
    description,
    tags,
    visibility,
    routing,
    caching = {},
    renamedBy,
    undoes,
    expectedName,
    expectedRevision,
  }: RecordPatch,
): Promise<Capability> {
  if (newName !== undefined) assertValidName(newName);
  return db.transaction(async (tx) => {
    const record = await lockForChange(tx, keys, who, name);
    // The record's present name, and a former one that an undo brings back, need no permission.
    if (newName !== undefined && newName !== record.name && !undoes) assertMayGiveName(who, newName);
    if (expectedName !== undefined && record.name !== expectedName)
      throw new PmlError(
        'name_taken',
        `Somebody has renamed it: its name is now "${record.name}", not "${expectedName}".`,
      );
    if (expectedRevision !== undefined) await assertUnchanged(tx, record, expectedRevision);
    const isNew = newName !== undefined && newName !== record.name;
    if (undoes && undoes.newName !== record.name) throw renamedSince(record.name);
    const head = {
      ...{ ...record, name: newName ?? record.name, named: undoes?.wasNamed ?? (record.named || isNew) },
      listedName: isNew ? listedName(newName, record.namespace) : record.listedName,
      description: storedText('description', description ?? record.description),
      tags: tags ? storedTags(tags) : record.tags,
      visibility: visibility ?? record.visibility,
      ...patchCaching(record, caching),
    };
    const update = updateRecord(record.fqdn, {
      display_name: head.name,
      listed_name: head.listedName,
      named: head.named,
      description: head.description,
      tags: head.tags,
      visibility: head.visibility,
      routing: routing ?? record.routing,
      routing_chosen: sql`routing_chosen or ${routing !== undefined}`,
      ...cachedAs(head),
      ...changedBy(who.user),
      last_used_at: NOW,
      head_signature: signHead(keys, head),
    });
    const [{ rows }] = await Promise.all([
      // Claims a free new name in the same statement; `nameAs` handles a name that is taken.
      run<Capability & { claimed: boolean }>(
        tx,
        sql`with r as (
            ${update} returning *
          ), claim as (
            ${insertNameOfRecord(nameRow(keys, head), isNew)} returning name
          )
          select ${raw(CAPABILITY)}, exists (select 1 from claim) as "claimed"
          from r join workflow_pattern p on p.id = r.pattern_id`,
      ),
      // Everyone who saw the record before, or sees it now, must hear of the change.
      announce(tx, visibility && visibility !== 'private' ? { ...record, visibility } : record, 'renamed'),
      isNew && noteRename(tx, who, record, newName, { renamedBy, undoes }),
    ]);
    const { claimed, ...renamed } = rows[0] as Capability & { claimed: boolean };
    if (!isNew || claimed) return renamed;
    return nameAs(tx, keys, renamed, newName);
  });
}

async function assertUnchanged(
  tx: Queryable,
  { fqdn, name }: CapabilityRecord,
  expected: string,
): Promise<void> {
  const { rows } = await tx.query<{ revision: string }>(
    `select ${REVISION} as revision from capability_records r where r.id = $1`,
    [fqdn],
  );
  if (rows[0]?.revision === expected) return;
  throw new PmlError('changed_meanwhile', `"${name}" was changed since you looked at it.`, {
    hint: 'Look at it again, then change it.',
  });
}

function renamedSince(name: string): PmlError {
  return new PmlError(
    'bad_request',
    `The capability got the name "${name}" by other means than a rename, or just now.`,
    {
      hint: 'cap_history shows its names. Give one with cap_rename and new_name.',
    },
  );
}
