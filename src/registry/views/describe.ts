import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import { hideSecrets } from '../../secrets/index.ts';
import { storedText } from '../../stored-texts.ts';
import { versionWarnings } from '../lookup/version.ts';
import { type Capability, intentFor, successRate } from '../record/capability.ts';
import { schemaShownTo } from '../record/examples.ts';
import { maySee, principalParameters } from '../record/visibility.ts';
import { type Registry, signedText } from '../trust/signature.ts';
import { displayCode, displayNames } from './display-names.ts';
import { feedbackOf } from './feedback.ts';

/** Summarises a capability. Includes its examples only if `who` created it. */
export function summarize(capability: Capability, who?: Principal) {
  const {
    type,
    codeUrl,
    fqdn,
    name,
    description,
    version,
    versionTag,
    routing,
    visibility,
    deprecatedAlias,
    stale,
  } = capability;
  const warnings = versionWarnings(capability);
  return {
    type,
    fqdn,
    display_name: name,
    description: storedText('description', description),
    version,
    version_tag: versionTag,
    usage_count: capability.usageCount,
    success_rate: successRate(capability),
    routing,
    visibility,
    // A server has no parameters.
    parameters_schema: capability.parametersSchema ? schemaShownTo(who, capability) : {},
    ...(stale !== null && { stale }),
    ...(codeUrl !== null && { code_url: hideSecrets(codeUrl) }),
    ...(deprecatedAlias !== undefined && { deprecated_alias: deprecatedAlias }),
    ...(warnings.length > 0 && { warnings }),
  };
}

interface Provenance {
  created_at: Date;
  updated_by: string;
  updated_at: Date;
  retired_at: Date | null;
  verified: boolean;
  signature: string | null;
  forked_from: string | null;
  parent_id: string | null;
  aliases: string[];
  output_schema: JsonSchema | null;
  cached_count: number;
}

/** A `forked_from` with `@version` is the origin of an import, in another registry, so there is no record to hide. */
const PROVENANCE = `select r.created_at, r.updated_by, r.updated_at, r.retired_at, r.cached_count,
    r.verified and r.version = $6 as verified,
    (select v.signature from capability_versions v where v.capability_fqdn = r.id and v.version = $6) as signature,
    case when r.forked_from like '%@%' then split_part(r.forked_from, '@', 1)
      else (select s.id from capability_records s where s.id = r.forked_from and ${maySee('s')}) end as forked_from,
    (select s.uid::text from capability_records s where s.id = r.parent_id and ${maySee('s')}) as parent_id,
    array(select n.name from capability_names n where n.fqdn = r.id and n.name <> r.display_name
      order by n.created_at, n.name) as aliases,
    (select o.declared from capability_outputs o where o.fqdn = r.id and o.version = $6) as output_schema
  from capability_records r where r.id = $5`;

/** Describes a record without its code and schemas, for answers about a change to it. `cap_whois` shows all. */
export async function describeRecord(registry: Registry, who: Principal, capability: Capability) {
  const { code, parameters_schema, output_schema, ...record } = await describe(registry, who, capability);
  return record;
}

/** Describes a capability in full, its code with today's names. */
export async function describe({ db, keys }: Registry, who: Principal, capability: Capability) {
  const { fqdn, version } = capability;
  const { rows } = await db.query<Provenance>(PROVENANCE, [...principalParameters(who), fqdn, version]);
  const {
    created_at,
    updated_at,
    retired_at,
    aliases,
    forked_from,
    parent_id,
    output_schema,
    cached_count,
    ...rest
  } = rows[0] as Provenance;
  // A server has no code to sign.
  const verdict =
    capability.code === null ? undefined : await keys.verify(signedText(capability), rest.signature);
  const [code] = capability.code === null ? [] : await displayCode(db, who, [capability.code]);
  const feedback = await feedbackOf(db, who, capability);
  const { id, named, org, project, namespace, createdBy, usageCount, totalLatencyMs } = capability;
  return {
    id,
    ...summarize(capability, who),
    ...(output_schema && { output_schema }),
    named,
    org,
    project,
    namespace,
    intent: intentFor(who, capability),
    created_by: createdBy,
    created_at: created_at.toISOString(),
    updated_by: rest.updated_by,
    updated_at: updated_at.toISOString(),
    ...(retired_at && { retired_at: retired_at.toISOString() }),
    verified: rest.verified,
    signature: rest.signature,
    ...(verdict && { signature_valid: verdict === 'valid' }),
    forked_from,
    parent_id,
    aliases: aliases.map((alias) => hideSecrets(alias)),
    tags: capability.tags.map((tag) => hideSecrets(tag)),
    success_count: capability.successCount,
    average_latency_ms: usageCount > 0 ? Math.round((totalLatencyMs / usageCount) * 100) / 100 : 0,
    cache_policy: capability.cachePolicy,
    ttl: capability.ttl,
    ...(cached_count > 0 && { cached_count }),
    ...(feedback && { feedback }),
    tools_used: await displayNames(db, who, capability.toolsUsed ?? []),
    ...(code !== undefined && { code }),
  };
}
