import { runCodeTask, splitVersion } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import { hasIssuedSecret } from '../../secrets/index.ts';
import { storedText } from '../../texts.ts';
import { VERSION } from '../../version.ts';
import { refuseVersion } from '../acts/permissions.ts';
import { resolve } from '../lookup/resolve.ts';
import { asking, CAPABILITY, type Capability, FROM_CAPABILITY, VISIBLE } from '../record/capability.ts';
import { checked, type Registry } from '../trust/signature.ts';
import { likePattern } from '../views/glob.ts';
import { refuseCircles } from './dependency-graph.ts';
import type { Carried, CarriedVersion, Content } from './format.ts';
import { printBundle } from './read-bundle.ts';
import { onBundle } from './tasks.ts';
import { callsAmong, hashOfText, isFqdn, toolsNeeded } from './validate.ts';

/** More than these are no bundle any more. */
const MAX_ASKED = 1000;

export interface Exported {
  /** The file. */
  text: string;
  fingerprint: string;
  content: Content;
}

/** Puts capabilities, with all that they call and their whole history, into one signed text. */
export async function exportBundle(
  registry: Registry,
  who: Principal,
  names: readonly string[],
): Promise<Exported> {
  const asked = await selected(registry, who, names);
  const capabilities = await gather(registry, who, asked);
  refuseCircles(new Map(capabilities.map((carried) => [carried.fqdn, carried])));
  const text = printBundle(registry.keys, {
    made_by: `PML ${VERSION}`,
    made_at: new Date().toISOString(),
    asked_for: asked.map(({ fqdn }) => fqdn).sort(),
    tools_needed: toolsNeeded(capabilities),
    capabilities,
  });
  // What cannot be read again is no bundle.
  const { content, fingerprint } = await onBundle('read', text.length, text);
  return { text, fingerprint, content };
}

/** The capabilities that names and globs mean; without any, all that the principal named in its scope. */
export async function selected(
  { db }: Registry,
  who: Principal,
  names: readonly string[],
): Promise<Capability[]> {
  const found = new Map<string, Capability>();
  const globs = names.length === 0 ? ['*'] : names.filter((name) => /[*?]/.test(name));
  for (const glob of globs) {
    const { rows } = await db.query<Capability>(
      `select ${CAPABILITY} from ${FROM_CAPABILITY}
       where ${VISIBLE} and r.org = $1 and r.project = $2 and r.named and r.display_name like $4
         and (r.created_by = $3 or not $5::boolean) order by r.display_name limit $6`,
      [...asking(who), likePattern(glob.replaceAll('\0', '')), names.length === 0, MAX_ASKED + 1],
    );
    if (rows.length === 0)
      throw new PmlError(
        'capability_not_found',
        names.length === 0 ? 'You have named no capability here yet.' : `No capability fits: ${glob}`,
      );
    for (const row of rows) found.set(row.fqdn, row);
  }
  for (const name of names.filter((one) => !/[*?]/.test(one))) {
    refuseVersion(name);
    const capability = await resolve(db, who, name);
    found.set(capability.fqdn, capability);
  }
  if (found.size <= MAX_ASKED) return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  throw new PmlError('bad_request', `More than ${MAX_ASKED} capabilities do not fit in one bundle.`);
}

async function gather(registry: Registry, who: Principal, asked: readonly Capability[]): Promise<Carried[]> {
  const all = new Map(asked.map((capability) => [capability.fqdn, capability]));
  const gathered: Carried[] = [];
  // What is found on the way is added to the map, and met by this loop later.
  for (const capability of all.values()) {
    const carried = await carry(registry, who, capability);
    gathered.push(carried);
    const called = new Set(
      carried.versions.flatMap(({ calls }) => calls.map((call) => splitVersion(call).name)),
    );
    const used = new Set(carried.versions.flatMap(({ tools_used }) => tools_used.filter(isFqdn)));
    for (const fqdn of [...called, ...used]) {
      if (all.has(fqdn)) continue;
      const found = await visible(registry, who, fqdn);
      if (found) all.set(fqdn, found);
      else if (called.has(fqdn)) throw outOfReach(capability);
    }
    for (const version of carried.versions)
      version.tools_used = version.tools_used.filter((name) => !isFqdn(name) || all.has(name));
  }
  return gathered.sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1));
}

async function visible({ db }: Registry, who: Principal, fqdn: string): Promise<Capability | undefined> {
  const { rows } = await db.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY} where ${VISIBLE} and r.id = $4`,
    [...asking(who), fqdn],
  );
  return rows[0];
}

function outOfReach({ name }: Capability): PmlError {
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

async function carry(registry: Registry, who: Principal, capability: Capability): Promise<Carried> {
  const { fqdn, name, named, description, intent, tags, routing, createdBy } = capability;
  const { rows } = await registry.db.query<Row>(HISTORY, [fqdn]);
  const versions: CarriedVersion[] = [];
  for (const row of rows) versions.push(await carryVersion(registry, who, capability, row));
  return {
    ...{ fqdn, name, named, routing, author: createdBy, versions },
    routing_chosen: rows[0]?.routing_chosen ?? false,
    description: storedText('description', description),
    intent: storedText('intent', intent),
    tags: tags.filter((tag) => !hasIssuedSecret(tag)),
  };
}

async function carryVersion(
  registry: Registry,
  who: Principal,
  capability: Capability,
  { version, version_tag, updated_by, updated_at, change_summary, tools_used, written_for }: Row,
): Promise<CarriedVersion> {
  // Our signature must not make good what was changed behind the back of PML.
  const { code, parametersSchema } = await checked(registry, who, { ...capability, version });
  const { names, holdsSecret } = await runCodeTask('examine', code, parametersSchema);
  if (holdsSecret)
    throw new PmlError(
      'code_denied',
      `"${capability.name}" v${version} holds what looks like a secret, and is not exported.`,
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
      Object.entries(written_for).filter(isOpen),
    ) as CarriedVersion['written_for'],
    tools_used: [
      ...new Set([
        ...tools_used,
        ...calls.map((call) => splitVersion(call).name),
        ...Object.keys(written_for),
      ]),
    ],
    parameters_schema: parametersSchema as JsonSchema,
    author: updated_by,
    made_at: updated_at.toISOString(),
    change_summary: storedText('change_summary', change_summary),
  };
}

function isOpen([, schema]: [string, JsonSchema]): boolean {
  return !hasIssuedSecret(JSON.stringify(schema));
}
