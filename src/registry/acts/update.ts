import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { saveDependencies } from '../drift/dependencies.ts';
import { lockDrift } from '../drift/drift-lock.ts';
import { refreshStale } from '../drift/stale.ts';
import { reread } from '../lookup/resolve.ts';
import { assertValidTag, tagNumbers } from '../lookup/version.ts';
import { announce } from '../record/announce.ts';
import { type CachingPatch, patchCaching } from '../record/caching.ts';
import type { Capability, CapabilityRecord, Routing } from '../record/capability.ts';
import { schemaShownTo } from '../record/examples.ts';
import { CAPABILITY } from '../record/record-sql.ts';
import { copyOutputs } from '../tables/capability-outputs.ts';
import { cachedAs, changedBy, pointTo, updateRecord } from '../tables/capability-records.ts';
import { insertVersionOfRecord } from '../tables/capability-versions.ts';
import { saveVerdicts } from '../tables/parameter-verdicts.ts';
import { raw, run, type Sql, sql } from '../tables/sql.ts';
import { savePattern } from '../tables/workflow-pattern.ts';
import type { Keys } from '../trust/keys.ts';
import { assertHeadSigned, type Head, type HeadProof, isHeadSigned, signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { carryOver } from './carry-over.ts';
import { type Pattern, versionRow } from './new-version.ts';
import { lockUnverified } from './permissions.ts';

/** The next version of a capability. */
export interface NewVersion extends Pattern {
  routing: Routing;
  versionTag?: string | undefined;
  changeSummary?: string | undefined;
  caching?: CachingPatch | undefined;
  /** The version that does the same where the added parameters have their defaults. Fails if there is another one meanwhile. */
  widens?: number | undefined;
}

/** Adds a version. The versions before it stay, and stay callable. */
export async function update(
  { db, keys }: Registry,
  who: Principal,
  name: string,
  next: NewVersion,
): Promise<Capability> {
  if (next.versionTag !== undefined) assertValidTag(next.versionTag);
  return db.transaction(async (tx) => {
    const [, record] = await Promise.all([lockDrift(tx), lockUnverified(tx, who, name)]);
    assertFollows(record, next);
    const { version, parametersSchema } = await prepareNext(tx, keys, record, next);
    // Examples from an admin's run are dropped: the creator would see the admin's data.
    const added = { ...next, parametersSchema: schemaShownTo(who, { ...record, parametersSchema }) };
    const [, { rows }, isStale] = await Promise.all([
      savePattern(tx, added),
      run<Capability>(tx, addVersion(keys, who, { ...record, version }, added)),
      saveDependencies(tx, { ...record, version }, next.dependencies ?? []),
      announce(tx, record, 'updated'),
    ]);
    if (isStale || record.stale !== null) await refreshStale(tx, [record.fqdn]);
    await saveVerdicts(tx, who, next.verdicts);
    if (next.widens !== undefined) await copyOutputs(tx, record.fqdn, next.widens, version);
    return isStale || record.stale !== null ? reread(tx, record.fqdn) : (rows[0] as Capability);
  });
}

function assertFollows({ name, version }: CapabilityRecord, { widens }: NewVersion): void {
  if (widens !== undefined && widens !== version)
    throw new PmlError('version_taken', `${name} has a version after ${widens} meanwhile`);
}

/** Inserts the version and points the record to it. */
function addVersion(keys: Keys, { user }: Principal, record: CapabilityRecord, next: NewVersion): Sql {
  const { versionTag = null, changeSummary: summary = '', codeHash, toolsUsed, routing, callsHash } = next;
  const { fqdn, version } = record;
  const row = versionRow(keys, record, next, { author: user, versionTag, summary });
  const { pattern_id: patternId, signature } = row;
  const caching = patchCaching(record, next.caching ?? {});
  const update = updateRecord(fqdn, {
    ...pointTo({ version, versionTag, patternId, signature, codeHash, toolsUsed, routing, callsHash }),
    ...changedBy(user),
    ...cachedAs(caching),
    verified: next.widens !== undefined,
    head_signature: signHead(keys, { ...record, ...caching, versionTag, codeHash, toolsUsed }),
  });
  return sql`with r as (
      ${update} returning *
    ), version as (
      ${insertVersionOfRecord(row)}
    )
    select ${raw(CAPABILITY)} from r join workflow_pattern p on p.id = r.pattern_id`;
}

interface Past extends Pick<Head, 'versionTag' | 'codeHash' | 'toolsUsed'> {
  newest: number;
  tagged: boolean;
  schema: JsonSchema;
  sameCode: JsonSchema | null;
}

const PAST = `with newest as (
    select v.version, v.version_tag as "versionTag", p.code_hash as "codeHash", p.tools_used as "toolsUsed"
    from capability_versions v join workflow_pattern p on p.id = v.pattern_id where v.capability_fqdn = $1
    order by v.version desc limit 1
  )
  select n.version as newest, n."versionTag", n."codeHash", n."toolsUsed",
    exists (select 1 from capability_versions where capability_fqdn = $1 and tag = $2) as tagged,
    (select p.parameters_schema from capability_records r join workflow_pattern p on p.id = r.pattern_id
      where r.id = $1) as schema,
    (select p.parameters_schema from capability_versions v join workflow_pattern p on p.id = v.pattern_id
      where v.capability_fqdn = $1 and p.code_snippet = $3 order by v.version desc limit 1) as "sameCode"
  from newest n`;

/**
 * Finds the next version number, even if the record points to an older version, and the parameters of the new code.
 * Code that was a version before gets the parameters it had then. Other code is mostly an edit of the shown code, where
 * data has become a parameter: what is known about that parameter still holds. Fails if the tag is taken.
 */
async function prepareNext(
  tx: Queryable,
  keys: Keys,
  record: CapabilityRecord & HeadProof,
  { versionTag, code, parametersSchema }: NewVersion,
): Promise<{ version: number; parametersSchema: JsonSchema }> {
  const tag = versionTag === undefined ? null : tagNumbers(versionTag);
  const { rows } = await tx.query<Past>(PAST, [record.fqdn, tag, code]);
  const { newest, tagged, schema, sameCode, ...pointer } = rows[0] as Past;
  // A record that was tampered with only by pointing it to an older version may be updated: that repairs it.
  if (!(await isHeadSigned(keys, record, tx)))
    await assertHeadSigned(keys, { ...record, ...pointer, version: newest }, tx);
  if (tagged) throw new PmlError('version_taken', `Version ${versionTag} already exists for ${record.name}`);
  return { version: newest + 1, parametersSchema: sameCode ?? carryOver(schema, parametersSchema) };
}
