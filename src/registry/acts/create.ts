import { randomUUID } from 'node:crypto';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { storedTags, storedText } from '../../stored-texts.ts';
import { saveDependencies } from '../drift/dependencies.ts';
import { refreshStale } from '../drift/stale.ts';
import { reread } from '../lookup/resolve.ts';
import { announce } from '../record/announce.ts';
import { NOT_CACHED } from '../record/caching.ts';
import type { Capability, Routing } from '../record/capability.ts';
import { assertValidName, listedName, splitName } from '../record/capability-name.ts';
import { buildFqdn, type Fqdn } from '../record/fqdn.ts';
import { CAPABILITY } from '../record/record-sql.ts';
import { insertNameOfRecord } from '../tables/capability-names.ts';
import { insertRecord } from '../tables/capability-records.ts';
import { insertVersionOfRecord } from '../tables/capability-versions.ts';
import { raw, run, type Sql, sql } from '../tables/sql.ts';
import { savePattern } from '../tables/workflow-pattern.ts';
import type { Keys } from '../trust/keys.ts';
import { type Head, signHead } from '../trust/record-head.ts';
import { automaticName, freeHash, freeName, MIN_HASH } from './automatic-name.ts';
import { nameAs, nameRow } from './claim-name.ts';
import { type Pattern, versionRow } from './new-version.ts';

/** A record to be created; without a name it gets one made of its hash. */
export interface NewRecord extends Pattern {
  namespace: string;
  intent: string;
  name?: string | undefined;
  description?: string;
  tags?: readonly string[];
  routing?: Routing;
  /** True if it passed a replay of the run that it was learned from. */
  verified?: boolean;
  forkedFrom?: string;
  /** The FQDN of the record in this database that it was forked from. */
  parent?: string;
  summary?: string;
  /** Who made the first version, if it was made elsewhere. */
  first?: { author: string; madeAt: Date; versionTag: string | null };
}

/** Creates a record with its first version, in the principal's scope. */
export async function create(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  newRecord: NewRecord,
): Promise<Capability> {
  if (newRecord.name !== undefined) assertValidName(newRecord.name);
  const { namespace, action } = newRecord.name
    ? splitName(newRecord.name, newRecord.namespace)
    : { namespace: newRecord.namespace, action: `exec_${newRecord.codeHash.slice(0, 8)}` };
  const at = { org: who.org, project: who.project, namespace, action };
  // The shortest hash is rarely taken, so it is tried without asking first; the insert tells if it is taken.
  let hash = newRecord.codeHash.slice(0, MIN_HASH);
  for (;;) {
    const created = await insert(tx, keys, who, newRecord, { ...at, hash });
    if (created) return created;
    // A concurrent insert may take this hash, too, so the loop tries again.
    hash = await freeHash(tx, at, newRecord.codeHash);
  }
}

/** Returns undefined if the identity is taken. */
async function insert(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  newRecord: NewRecord,
  at: Fqdn,
): Promise<Capability | undefined> {
  const fqdn = buildFqdn(at);
  const { org, project } = at;
  const isNamed = newRecord.name !== undefined;
  const [, { rows }] = await Promise.all([
    savePattern(tx, newRecord),
    run<Capability & { claimed: boolean }>(tx, insertStatement(keys, who, newRecord, at)),
    // A new record is private.
    announce(
      tx,
      { org, project, fqdn, visibility: 'private', createdBy: who.user },
      isNamed ? 'named' : 'created',
    ),
  ]);
  if (!rows[0]) return undefined;
  const { claimed, ...inserted } = rows[0];
  const created = claimed
    ? inserted
    : await nameAs(tx, keys, inserted, newRecord.name ?? (await freeName(tx, who, newRecord.codeHash)));
  const key = { org, project, fqdn, version: 1 };
  const isStale = await saveDependencies(tx, key, newRecord.dependencies ?? [], newRecord.budget);
  if (!isStale) return created;
  await refreshStale(tx, [fqdn]);
  return reread(tx, fqdn);
}

/** Inserts the record, its first version, and its name if that is free; nothing, if the identity is taken. */
function insertStatement(keys: Keys, { user }: Principal, newRecord: NewRecord, at: Fqdn): Sql {
  const { summary = 'created', first } = newRecord;
  const head = headOf(newRecord, at, user);
  const version = versionRow(keys, head, newRecord, { author: user, versionTag: null, summary, ...first });
  const record = insertRecord({
    ...at,
    id: head.fqdn,
    uid: head.id,
    display_name: head.name,
    named: head.named,
    listed_name: head.listedName,
    description: head.description,
    intent: head.intent,
    tags: head.tags,
    tools_used: head.toolsUsed,
    code_hash: head.codeHash,
    calls_hash: newRecord.callsHash ?? null,
    pattern_id: version.pattern_id,
    signature: version.signature,
    head_signature: signHead(keys, head),
    routing: newRecord.routing ?? 'cloud',
    verified: newRecord.verified ?? false,
    forked_from: newRecord.forkedFrom ?? null,
    parent_id: newRecord.parent ?? null,
    created_by: user,
    updated_by: user,
  });
  return sql`with r as (
      ${record} on conflict do nothing returning *
    ), version as (
      ${insertVersionOfRecord(version)}
    ), claim as (
      ${insertNameOfRecord(nameRow(keys, head))} returning name
    )
    select ${raw(CAPABILITY)}, exists (select 1 from claim) as "claimed"
    from r join workflow_pattern p on p.id = r.pattern_id`;
}

/** The signed fields of a new record, its texts bounded. */
function headOf(newRecord: NewRecord, at: Fqdn, createdBy: string): Head {
  const { codeHash, toolsUsed } = newRecord;
  const { org, project, namespace } = at;
  const name = newRecord.name ?? automaticName(codeHash);
  const intent = storedText('intent', newRecord.intent);
  return {
    type: 'capability',
    fqdn: buildFqdn(at),
    id: randomUUID(),
    name,
    named: newRecord.name !== undefined,
    listedName: listedName(name, namespace),
    ...{ org, project, namespace, intent, codeHash, toolsUsed, createdBy },
    description: storedText('description', newRecord.description ?? intent),
    tags: storedTags(newRecord.tags ?? []),
    visibility: 'private',
    version: 1,
    // The tag of a first version is stored in its version row only, not in the record.
    versionTag: null,
    ...NOT_CACHED,
  };
}
