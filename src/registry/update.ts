import { PmlError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { Queryable } from '../store/index.ts';
import { announce } from './changes.ts';
import { type Registry, signedText } from './check.ts';
import { type Pattern, savePattern } from './create.ts';
import type { Capability, JsonSchema, Routing } from './record.ts';
import { reread } from './resolve.ts';
import { lockForChange } from './rights.ts';
import { refreshStale } from './stale.ts';
import { lockDrift, saveUses } from './uses.ts';
import { assertValidTag, tagNumbers } from './version.ts';

/** The next version of a capability. */
export interface NewVersion extends Pattern {
  routing: Routing;
  versionTag?: string | undefined;
  changeSummary?: string | undefined;
}

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
    await lockDrift(tx);
    const held = await lockForChange(tx, who, name);
    const version = await nextVersion(tx, held, versionTag);
    const pattern = { ...next, parametersSchema: await schemaOf(tx, held, next) };
    const patternId = await savePattern(tx, pattern);
    const signature = keys.sign(signedText({ ...pattern, fqdn: held.fqdn, version }));
    await tx.query(
      `insert into capability_versions
         (capability_fqdn, version, version_tag, pattern_id, updated_by, change_summary, signature)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [held.fqdn, version, versionTag, patternId, who.user, changeSummary, signature],
    );
    await tx.query(
      `update capability_records set version = $2, version_tag = $3, pattern_id = $4, code_hash = $5, tools_used = $6,
         routing = case when routing_chosen then routing else $7 end, verified = false, signature = $9, updated_by = $8,
         updated_at = now(), last_used_at = now(), recent = '', calls_hash = $10
       where id = $1`,
      [
        held.fqdn,
        version,
        versionTag,
        patternId,
        next.codeHash,
        next.toolsUsed,
        next.routing,
        who.user,
        signature,
        next.callsHash ?? null,
      ],
    );
    const isStale = await saveUses(tx, { ...held, version }, next.uses ?? []);
    if (isStale || held.stale !== null) await refreshStale(tx, [held.fqdn]);
    await announce(tx, held, 'updated');
    return reread(tx, held.fqdn);
  });
}

/** The number after the newest there is, whatever the record says of itself. Fails if the tag is taken. */
async function nextVersion(tx: Queryable, { fqdn, name }: Capability, tag: string | null): Promise<number> {
  const { rows } = await tx.query<{ newest: number; taken: boolean }>(
    `select max(version) as newest, coalesce(bool_or(tag = $2), false) as taken
     from capability_versions where capability_fqdn = $1`,
    [fqdn, tag === null ? null : tagNumbers(tag)],
  );
  const { newest, taken } = rows[0] as { newest: number; taken: boolean };
  if (taken) throw new PmlError('version_taken', `Version ${tag} already exists for ${name}`);
  return newest + 1;
}

/**
 * What the new code takes. Code that was a version before takes what it took then. Other code is most often the shown
 * code with a change in it, where what was data has become a parameter: what is known of that parameter still holds.
 */
async function schemaOf(tx: Queryable, held: Capability, next: NewVersion): Promise<JsonSchema> {
  const { rows } = await tx.query<{ schema: JsonSchema }>(
    `select p.parameters_schema as schema from capability_versions v join workflow_pattern p on p.id = v.pattern_id
     where v.capability_fqdn = $1 and p.code_snippet = $2 order by v.version desc limit 1`,
    [held.fqdn, next.code],
  );
  return rows[0]?.schema ?? carryOver(held.parametersSchema, next.parametersSchema);
}

type Properties = Record<string, JsonSchema>;

/** Gives parameters of which the code says nothing what the former version knew of them. */
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
  return { ...rest, properties, ...(required.length > 0 && { required }) };
}

function agree(before: JsonSchema, schema: JsonSchema): boolean {
  return schema.type === undefined || JSON.stringify(schema.type) === JSON.stringify(before.type);
}
