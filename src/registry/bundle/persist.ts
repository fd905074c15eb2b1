import { inferNamespace } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { create } from '../acts/create.ts';
import { type Pattern, versionRow } from '../acts/new-version.ts';
import { saveDependencies } from '../drift/dependencies.ts';
import { refreshStale } from '../drift/stale.ts';
import { announceAll } from '../record/announce.ts';
import { NOT_CACHED } from '../record/caching.ts';
import type { Capability, Routing } from '../record/capability.ts';
import { parseFqdn } from '../record/fqdn.ts';
import { cachedAs, changedBy, pointTo, updateRecord } from '../tables/capability-records.ts';
import { insertVersion } from '../tables/capability-versions.ts';
import { run, sql } from '../tables/sql.ts';
import { patternIdOf, savePattern } from '../tables/workflow-pattern.ts';
import type { Keys } from '../trust/keys.ts';
import { signHeads } from '../trust/record-head.ts';
import type { BundledCapability, BundledVersion } from './bundle-schema.ts';
import type { Step } from './dependency-graph.ts';
import type { ImportPlan } from './import-plan.ts';
import type { ExistingCapability } from './match-existing.ts';
import { patternOf, toolsUsedBy } from './pattern.ts';

/** The result of importing one capability. */
export interface ImportedCapability {
  fqdn: string;
  name: string;
  version: number;
  what: 'created' | 'updated' | 'unchanged';
  /** Why it does not fit the local tools. */
  stale?: string;
}

/** The versions to store, in order, and the capabilities that are here already, by origin. */
interface Work {
  steps: readonly Step[];
  existing: ReadonlyMap<string, ExistingCapability>;
}

/** Stores the versions in an order in which their callees come first, and points their code to the local FQDNs. */
export async function persistAll(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  plan: ImportPlan,
  { steps, existing }: Work,
): Promise<ReadonlyMap<string, ImportedCapability>> {
  const imported = new Map([...existing].map(([origin, one]) => [origin, unchanged(one)]));
  const local = new Map([...existing].map(([origin, { fqdn }]) => [origin, fqdn]));
  const patterns = new Map<BundledVersion, Pattern>();
  for (const { bundled, version } of steps) {
    const pattern = await patternOf(version, local, plan);
    patterns.set(version, pattern);
    const before = imported.get(bundled.fqdn);
    if (before) {
      await appendVersion(tx, keys, who, before.fqdn, version, pattern);
      const what = before.what === 'created' ? 'created' : 'updated';
      imported.set(bundled.fqdn, { ...before, version: version.version, what });
      continue;
    }
    const { fqdn, name } = await createFirst(tx, keys, who, bundled, pattern, plan);
    local.set(bundled.fqdn, fqdn);
    imported.set(bundled.fqdn, { fqdn, name, version: 1, what: 'created' });
  }
  // Only now: a version may use capabilities that were created after it.
  for (const { bundled, version } of steps.filter((step) => step.version === step.bundled.versions.at(-1))) {
    const fqdn = local.get(bundled.fqdn) as string;
    const toolsUsed = toolsUsedBy(version, local, plan);
    await pointToLast(tx, who, fqdn, bundled, { ...(patterns.get(version) as Pattern), toolsUsed }, plan);
  }
  await judgeAndSign(tx, keys, [...new Set(steps.map(({ bundled }) => local.get(bundled.fqdn) as string))]);
  await announceUpdated(tx, [...imported.values()]);
  return new Map([...imported].sort(([, a], [, b]) => (a.name < b.name ? -1 : 1)));
}

function unchanged({ fqdn, name, version }: ExistingCapability): ImportedCapability {
  return { fqdn, name, version, what: 'unchanged' };
}

function createFirst(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  bundled: BundledCapability,
  pattern: Pattern,
  { names }: ImportPlan,
): Promise<Capability> {
  const [first] = bundled.versions as [BundledVersion];
  const { description, intent, tags } = bundled;
  return create(tx, keys, who, {
    ...{ ...pattern, description, intent, tags },
    name: names.get(bundled.fqdn),
    namespace: parseFqdn(bundled.fqdn)?.namespace ?? inferNamespace(pattern.toolsUsed),
    forkedFrom: originOf(bundled),
    summary: first.change_summary,
    first: { author: first.author, madeAt: new Date(first.made_at), versionTag: first.version_tag },
  });
}

async function appendVersion(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  fqdn: string,
  { version, version_tag: versionTag, author, made_at, change_summary: summary }: BundledVersion,
  pattern: Pattern,
): Promise<void> {
  await savePattern(tx, pattern);
  const made = { author, madeAt: new Date(made_at), versionTag, summary };
  await run(tx, insertVersion(versionRow(keys, { fqdn, version }, pattern, made)));
  const key = { org: who.org, project: who.project, fqdn, version };
  await saveDependencies(tx, key, pattern.dependencies ?? [], pattern.budget);
}

/** Points a record to the last of its versions, which is stored already. */
async function pointToLast(
  tx: Queryable,
  who: Principal,
  fqdn: string,
  bundled: BundledCapability,
  pattern: Pattern,
  plan: ImportPlan,
): Promise<void> {
  const { version, version_tag: versionTag } = bundled.versions.at(-1) as BundledVersion;
  const { codeHash, toolsUsed, callsHash } = pattern;
  const signature = sql`(select v.signature from capability_versions v
    where v.capability_fqdn = ${fqdn} and v.version = ${version})`;
  const update = updateRecord(fqdn, {
    ...pointTo({
      ...{ version, versionTag, patternId: patternIdOf(pattern), signature, codeHash, toolsUsed, callsHash },
      routing: localRouting(plan, pattern, bundled),
    }),
    ...changedBy(who.user),
    // Nobody has decided that the results of this code may be cached here.
    ...cachedAs(NOT_CACHED),
    forked_from: originOf(bundled),
    routing_chosen: sql`routing_chosen or ${bundled.routing_chosen}`,
  });
  await run(tx, update);
}

/** The origin of an import, with the version it was imported at. */
function originOf({ fqdn, versions }: BundledCapability): string {
  return `${fqdn}@v${versions.length}`;
}

/** Keeps a routing that somebody chose; otherwise derives it from the tools that are used here. */
function localRouting(
  { localTools }: ImportPlan,
  { toolsUsed }: Pattern,
  { routing: given, routing_chosen: isChosen }: BundledCapability,
): Routing {
  const known = toolsUsed.map((name) => localTools.toolOf(name)?.routing);
  if (isChosen || known.includes(undefined)) return known.includes('local') && !isChosen ? 'local' : given;
  return known.includes('local') ? 'local' : 'cloud';
}

/** Judges imported records by the local tools, once all callees are there, and signs them as they are then. */
async function judgeAndSign(tx: Queryable, keys: Keys, fqdns: readonly string[]): Promise<void> {
  if (fqdns.length === 0) return;
  await refreshStale(tx, fqdns);
  await signHeads(tx, keys, fqdns);
}

type Audience = Pick<Capability, 'org' | 'project' | 'visibility' | 'createdBy'>;
const AUDIENCES = `select org, project, visibility, created_by as "createdBy" from capability_records where id = any($1)`;

/** Announces the updates; `create` has announced new capabilities. */
async function announceUpdated(tx: Queryable, imported: readonly ImportedCapability[]): Promise<void> {
  const updated = imported.filter(({ what }) => what === 'updated').map(({ fqdn }) => fqdn);
  if (updated.length === 0) return;
  const { rows } = await tx.query<Audience>(AUDIENCES, [updated]);
  await announceAll(tx, rows, 'updated');
}
