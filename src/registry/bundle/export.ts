import { runCodeTask, splitVersion } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import { hasIssuedSecret } from '../../secrets/index.ts';
import { storedText } from '../../stored-texts.ts';
import { VERSION } from '../../version.ts';
import type { Capability } from '../record/capability.ts';
import { withoutExamples } from '../record/examples.ts';
import { isFqdn } from '../record/fqdn.ts';
import { CAPABILITY, FROM_CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { type Registry, verifySignature } from '../trust/signature.ts';
import type { BundledCapability, BundledVersion, Content } from './bundle-schema.ts';
import { assertAcyclic } from './dependency-graph.ts';
import { printBundle } from './read-bundle.ts';
import { selectCapabilities } from './select-capabilities.ts';
import { onBundle } from './tasks.ts';
import { callsAmong, hashOfText, toolsNeeded } from './validate.ts';

export interface Exported {
  /** The file. */
  text: string;
  fingerprint: string;
  content: Content;
}

/** Exports capabilities, with all that they call and their whole history, as one signed text. */
export async function exportBundle(
  registry: Registry,
  who: Principal,
  names: readonly string[],
): Promise<Exported> {
  const asked = await selectCapabilities(registry, who, names);
  const capabilities = await collect(registry, who, asked);
  assertAcyclic(new Map(capabilities.map((bundled) => [bundled.fqdn, bundled])));
  const text = printBundle(registry.keys, {
    made_by: `PML ${VERSION}`,
    made_at: new Date().toISOString(),
    asked_for: asked.map(({ fqdn }) => fqdn).sort(),
    tools_needed: toolsNeeded(capabilities),
    capabilities,
  });
  // Fails here, not at the import, if the bundle breaks a limit.
  const { content, fingerprint } = await onBundle('read', text.length, text);
  return { text, fingerprint, content };
}

async function collect(
  registry: Registry,
  who: Principal,
  asked: readonly Capability[],
): Promise<BundledCapability[]> {
  const all = new Map(asked.map((capability) => [capability.fqdn, capability]));
  const collected: BundledCapability[] = [];
  // Callees found on the way are added to the map, and visited by this loop later.
  for (const capability of all.values()) {
    const bundled = await bundleCapability(registry, who, capability);
    collected.push(bundled);
    const called = new Set(
      bundled.versions.flatMap(({ calls }) => calls.map((call) => splitVersion(call).name)),
    );
    const used = new Set(bundled.versions.flatMap(({ tools_used }) => tools_used.filter(isFqdn)));
    for (const fqdn of [...called, ...used]) {
      if (all.has(fqdn)) continue;
      const found = await findVisible(registry, who, fqdn);
      if (found) all.set(fqdn, found);
      else if (called.has(fqdn)) throw calleeNotVisible(capability);
    }
    for (const version of bundled.versions)
      version.tools_used = version.tools_used.filter((name) => !isFqdn(name) || all.has(name));
  }
  return collected.sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1));
}

async function findVisible({ db }: Registry, who: Principal, fqdn: string): Promise<Capability | undefined> {
  const { rows } = await db.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY} where ${VISIBLE} and r.id = $5`,
    [...principalParameters(who), fqdn],
  );
  return rows[0];
}

function calleeNotVisible({ name }: Capability): PmlError {
  return new PmlError(
    'capability_not_found',
    `"${name}" calls a capability that is retired, or not yours to see.`,
    {
      hint: 'A bundle must hold all that is called. Restore it, or export something else.',
    },
  );
}

interface Row {
  version: number;
  version_tag: string | null;
  updated_by: string;
  updated_at: Date;
  change_summary: string;
  tools_used: string[];
  written_for: Record<string, JsonSchema>;
  routing_chosen: boolean;
}

const HISTORY = `select v.version, v.version_tag, v.updated_by, v.updated_at, v.change_summary, r.routing_chosen,
    case when v.version = r.version then r.tools_used else p.tools_used end as tools_used,
    (select coalesce(jsonb_object_agg(u.callee, s.schema), '{}') from capability_uses u
      join tool_schemas s on s.hash = u.schema_hash where u.fqdn = r.id and u.version = v.version) as written_for
  from capability_versions v join capability_records r on r.id = v.capability_fqdn
  join workflow_pattern p on p.id = v.pattern_id
  where v.capability_fqdn = $1 order by v.version`;

async function bundleCapability(
  registry: Registry,
  who: Principal,
  capability: Capability,
): Promise<BundledCapability> {
  const { fqdn, name, named, description, tags, routing, createdBy } = capability;
  const { rows } = await registry.db.query<Row>(HISTORY, [fqdn]);
  const versions: BundledVersion[] = [];
  for (const row of rows) versions.push(await bundleVersion(registry, who, capability, row));
  return {
    ...{ fqdn, name, named, routing, author: createdBy, versions },
    routing_chosen: rows[0]?.routing_chosen ?? false,
    description: storedText('description', description),
    // A bundle is for others, and the intent may quote data of the first run.
    intent: storedText('intent', description),
    tags: tags.filter((tag) => !hasIssuedSecret(tag)),
  };
}

async function bundleVersion(
  registry: Registry,
  who: Principal,
  capability: Capability,
  { version, version_tag, updated_by, updated_at, change_summary, tools_used, written_for }: Row,
): Promise<BundledVersion> {
  // The signature of the bundle must not cover tampered code.
  const { code, parametersSchema } = await verifySignature(registry, who, { ...capability, version });
  const { names, holdsSecret } = await runCodeTask('examine', code, parametersSchema);
  if (holdsSecret)
    throw new PmlError(
      'code_denied',
      `"${capability.name}@${version}" holds what looks like a secret, and is not exported.`,
      {
        hint: 'Former versions are part of a bundle. Fork it: the copy has no history.',
      },
    );
  const calls = callsAmong(names);
  return {
    ...{ version, version_tag, calls },
    code: code.split('\n'),
    code_sha256: hashOfText(code),
    written_for: Object.fromEntries(
      Object.entries(written_for).filter(hasNoSecret),
    ) as BundledVersion['written_for'],
    tools_used: [
      ...new Set([
        ...tools_used,
        ...calls.map((call) => splitVersion(call).name),
        ...Object.keys(written_for),
      ]),
    ],
    parameters_schema: withoutExamples(parametersSchema),
    author: updated_by,
    made_at: updated_at.toISOString(),
    change_summary: storedText('change_summary', change_summary),
  };
}

function hasNoSecret([, schema]: [string, JsonSchema]): boolean {
  return !hasIssuedSecret(JSON.stringify(schema));
}
