import { MAX_STORED_SCHEMA } from '../../budget.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import { jsonFits } from '../../measure.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { storedText } from '../../texts.ts';
import { lockDrift, saveUses } from '../drift/dependencies.ts';
import { refreshStale } from '../drift/stale.ts';
import { reread } from '../lookup/resolve.ts';
import { assertValidTag, tagNumbers } from '../lookup/version.ts';
import { announce } from '../record/announce.ts';
import { CAPABILITY, type Capability, type Held, type Routing } from '../record/capability.ts';
import type { Keys } from '../trust/keys.ts';
import { assertSigned, type Head, type HeadProof, isSigned, signHead } from '../trust/record-head.ts';
import { type Registry, signedText } from '../trust/signature.ts';
import { type Pattern, patternIdOf, savePattern } from './create.ts';
import { lockUnchecked } from './permissions.ts';

/** The next version of a capability. */
export interface NewVersion extends Pattern {
  routing: Routing;
  versionTag?: string | undefined;
  changeSummary?: string | undefined;
}

/** Adds the version and points the record to it. */
const ADD_VERSION = `with version as (
    insert into capability_versions
      (capability_fqdn, version, version_tag, pattern_id, updated_by, change_summary, signature)
    values ($1, $2, $3, $4, $8, $10, $9)
  ), r as (
    update capability_records set version = $2, version_tag = $3, pattern_id = $4, code_hash = $5, tools_used = $6,
      routing = case when routing_chosen then routing else $7 end, verified = false, signature = $9, updated_by = $8,
      updated_at = now(), last_used_at = now(), recent = '', calls_hash = $11, head_signature = $12
    where id = $1 returning *
  )
  select ${CAPABILITY} from r join workflow_pattern p on p.id = r.pattern_id`;

/** Adds a version. The versions before it stay, and stay callable. */
export async function update(
  { db, keys }: Registry,
  who: Principal,
  name: string,
  next: NewVersion,
): Promise<Capability> {
  const { versionTag = null, changeSummary = '' } = next;
  if (versionTag !== null) assertValidTag(versionTag);
  return db.transaction(async (tx) => {
    const [, held] = await Promise.all([lockDrift(tx), lockUnchecked(tx, who, name)]);
    const { version, parametersSchema } = await whatFollows(tx, keys, held, next);
    const pattern = { ...next, parametersSchema };
    const patternId = patternIdOf(pattern);
    const signature = keys.sign(signedText({ ...pattern, fqdn: held.fqdn, version }));
    const head = { ...held, version, versionTag, codeHash: next.codeHash, toolsUsed: next.toolsUsed };
    const [, { rows }, isStale] = await Promise.all([
      savePattern(tx, patternId, pattern),
      tx.query<Capability>(ADD_VERSION, [
        ...[held.fqdn, version, versionTag, patternId, next.codeHash, next.toolsUsed, next.routing],
        ...[who.user, signature, storedText('change_summary', changeSummary), next.callsHash ?? null],
        signHead(keys, head),
      ]),
      saveUses(tx, { ...held, version }, next.uses ?? []),
      announce(tx, held, 'updated'),
    ]);
    if (!isStale && held.stale === null) return rows[0] as Capability;
    await refreshStale(tx, [held.fqdn]);
    return reread(tx, held.fqdn);
  });
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
 * The number after the newest there is, whatever the record says of itself, and what the new code takes. Code that was a
 * version before takes what it took then. Other code is most often the shown code with a change in it, where what was data
 * has become a parameter: what is known of that parameter still holds. Fails if the tag is taken.
 */
async function whatFollows(
  tx: Queryable,
  keys: Keys,
  held: Held & HeadProof,
  { versionTag, code, parametersSchema }: NewVersion,
): Promise<{ version: number; parametersSchema: JsonSchema }> {
  const tag = versionTag === undefined ? null : tagNumbers(versionTag);
  const { rows } = await tx.query<Past>(PAST, [held.fqdn, tag, code]);
  const { newest, tagged, schema, sameCode, ...pointer } = rows[0] as Past;
  // A record that was only pointed to an older version is pointed to a new one by this, and so is mended.
  if (!(await isSigned(keys, held, tx)))
    await assertSigned(keys, { ...held, ...pointer, version: newest }, tx);
  if (tagged) throw new PmlError('version_taken', `Version ${versionTag} already exists for ${held.name}`);
  return { version: newest + 1, parametersSchema: sameCode ?? carryOver(schema, parametersSchema) };
}

type Properties = Record<string, JsonSchema>;

/** Gives parameters of which the code says nothing what the former version knew of them, if there is room for it. */
export function carryOver(former: JsonSchema, next: JsonSchema): JsonSchema {
  const known = (former.properties ?? {}) as Properties;
  const properties = { ...(next.properties as Properties | undefined) };
  let required = (next.required ?? []) as string[];
  for (const [name, schema] of Object.entries(properties)) {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!before || Object.hasOwn(schema, 'default') || !agree(before, schema)) continue;
    properties[name] = { ...before, ...schema };
    if (Object.hasOwn(before, 'default')) required = required.filter((one) => one !== name);
  }
  const { required: _, ...rest } = next;
  const carried = { ...rest, properties, ...(required.length > 0 && { required }) };
  return jsonFits(carried, MAX_STORED_SCHEMA) ? carried : next;
}

function agree(before: JsonSchema, schema: JsonSchema): boolean {
  return schema.type === undefined || JSON.stringify(schema.type) === JSON.stringify(before.type);
}
