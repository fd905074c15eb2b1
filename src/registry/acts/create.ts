import { randomUUID } from 'node:crypto';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { storedTags, storedText } from '../../texts.ts';
import { saveDependencies } from '../drift/dependencies.ts';
import { refreshStale } from '../drift/stale.ts';
import { reread } from '../lookup/resolve.ts';
import { announce } from '../record/announce.ts';
import type { Capability, Routing } from '../record/capability.ts';
import { buildFqdn, type Fqdn } from '../record/fqdn.ts';
import { assertValidName, listedName, splitName } from '../record/names.ts';
import { CAPABILITY } from '../record/record-sql.ts';
import { insertName } from '../tables/capability-names.ts';
import { insertRecord } from '../tables/capability-records.ts';
import { insertVersion } from '../tables/capability-versions.ts';
import { raw, run, type Sql, sql } from '../tables/sql.ts';
import { savePattern } from '../tables/workflow-pattern.ts';
import type { Keys } from '../trust/keys.ts';
import { signHead } from '../trust/record-head.ts';
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
  forkedFrom?: string;
  summary?: string;
  /** Who made the first version, if it was made elsewhere. */
  first?: { author: string; madeAt: Date; versionTag: string | null };
}

/** Creates a record with its first version, in the principal's scope. */
export async function create(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  made: NewRecord,
): Promise<Capability> {
  if (made.name !== undefined) assertValidName(made.name);
  const { namespace, action } = made.name
    ? splitName(made.name, made.namespace)
    : { namespace: made.namespace, action: `exec_${made.codeHash.slice(0, 8)}` };
  const at = { org: who.org, project: who.project, namespace, action };
  // The shortest hash is rarely taken, and the insert tells it as well as a query before it.
  let hash = made.codeHash.slice(0, MIN_HASH);
  for (;;) {
    const created = await insert(tx, keys, who, made, { ...at, hash });
    if (created) return created;
    // Another record of the same code and action may take this one too, before it is inserted.
    hash = await freeHash(tx, at, made.codeHash);
  }
}

/** Returns undefined if the identity is taken. */
async function insert(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  made: NewRecord,
  at: Fqdn,
): Promise<Capability | undefined> {
  const fqdn = buildFqdn(at);
  const { org, project } = at;
  const isNamed = made.name !== undefined;
  const [, { rows }] = await Promise.all([
    savePattern(tx, made),
    run<Capability & { claimed: boolean }>(tx, insertion(keys, who, made, at)),
    // A new record is private.
    announce(tx, { org, project, visibility: 'private', createdBy: who.user }, isNamed ? 'named' : 'created'),
  ]);
  if (!rows[0]) return undefined;
  const { claimed, ...inserted } = rows[0];
  const created = claimed
    ? inserted
    : await nameAs(tx, keys, inserted, made.name ?? (await freeName(tx, who, made.codeHash)));
  const key = { org, project, fqdn, version: 1 };
  const isStale = await saveDependencies(tx, key, made.dependencies ?? [], made.budget);
  if (!isStale) return created;
  await refreshStale(tx, [fqdn]);
  return reread(tx, fqdn);
}

/** Inserts the record, its first version, and its name if that is free; nothing, if the identity is taken. */
function insertion(keys: Keys, { user }: Principal, made: NewRecord, at: Fqdn): Sql {
  const { org, project, namespace, action, hash } = at;
  const { routing = 'cloud', forkedFrom = null, summary = 'created', codeHash, toolsUsed } = made;
  const name = made.name ?? automaticName(codeHash);
  const intent = storedText('intent', made.intent);
  const head = {
    ...{ type: 'capability' as const, fqdn: buildFqdn(at), id: randomUUID(), org, project, namespace },
    ...{ name, named: made.name !== undefined, listedName: listedName(name, namespace), intent },
    ...{
      description: storedText('description', made.description ?? intent),
      version: 1,
      codeHash,
      toolsUsed,
    },
    // The record of a first version has no tag of its own.
    ...{
      versionTag: null,
      tags: storedTags(made.tags ?? []),
      visibility: 'private' as const,
      createdBy: user,
    },
  };
  const version = versionRow(keys, head, made, { author: user, versionTag: null, summary, ...made.first });
  const record = insertRecord({
    id: head.fqdn,
    uid: head.id,
    display_name: name,
    named: head.named,
    listed_name: head.listedName,
    org,
    project,
    namespace,
    action,
    hash,
    pattern_id: version.pattern_id,
    code_hash: codeHash,
    created_by: user,
    updated_by: user,
    description: head.description,
    intent,
    tools_used: toolsUsed,
    tags: head.tags,
    routing,
    forked_from: forkedFrom,
    signature: version.signature,
    head_signature: signHead(keys, head),
    calls_hash: made.callsHash ?? null,
  });
  return sql`with r as (
      ${record} on conflict do nothing returning *
    ), version as (
      ${insertVersion(version, sql`from r`)}
    ), claim as (
      ${insertName(nameRow(keys, head), sql`from r`)} returning name
    )
    select ${raw(CAPABILITY)}, exists (select 1 from claim) as "claimed"
    from r join workflow_pattern p on p.id = r.pattern_id`;
}
