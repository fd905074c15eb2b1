import { inferNamespace } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { storedText } from '../../texts.ts';
import { create, type Pattern, patternIdOf, savePattern } from '../acts/create.ts';
import { saveUses } from '../drift/dependencies.ts';
import { refreshStale } from '../drift/stale.ts';
import { announceAll } from '../record/announce.ts';
import type { Capability, Routing } from '../record/capability.ts';
import { parseFqdn } from '../record/fqdn.ts';
import type { Keys } from '../trust/keys.ts';
import { signHeads } from '../trust/record-head.ts';
import { signedText } from '../trust/signature.ts';
import type { Step } from './dependency-graph.ts';
import type { Carried, CarriedVersion } from './format.ts';
import type { Plan } from './import.ts';
import type { Here } from './match-existing.ts';
import { patternOf, toolsUsedBy } from './pattern.ts';

/** What became of a capability. */
export interface Kept {
  fqdn: string;
  name: string;
  version: number;
  what: 'created' | 'updated' | 'unchanged';
  /** Why it does not fit the tools that are here. */
  stale?: string;
}

interface Keeping extends Plan {
  steps: readonly Step[];
  here: ReadonlyMap<string, Here>;
}

type Seen = Pick<Capability, 'org' | 'project' | 'visibility' | 'createdBy'>;
const SEEN = `select org, project, visibility, created_by as "createdBy" from capability_records where id = any($1)`;

/** Writes the versions, in an order in which what they name is there, and points them to what it is called here. */
export async function persistAll(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  { steps, here, ...plan }: Keeping,
): Promise<ReadonlyMap<string, Kept>> {
  const kept = new Map([...here].map(([origin, one]) => [origin, unchanged(one)]));
  const local = new Map([...here].map(([origin, { fqdn }]) => [origin, fqdn]));
  const patterns = new Map<CarriedVersion, Pattern>();
  for (const { carried, version } of steps) {
    const pattern = await patternOf(version, local, plan);
    patterns.set(version, pattern);
    const before = kept.get(carried.fqdn);
    if (before) {
      await append(tx, keys, who, before.fqdn, version, pattern);
      const what = before.what === 'created' ? 'created' : 'updated';
      kept.set(carried.fqdn, { ...before, version: version.version, what });
      continue;
    }
    const { fqdn, name } = await begin(tx, keys, who, carried, pattern, plan);
    local.set(carried.fqdn, fqdn);
    kept.set(carried.fqdn, { fqdn, name, version: 1, what: 'created' });
  }
  // What a version was found to use may have begun after it.
  for (const { carried, version } of steps.filter((step) => step.version === step.carried.versions.at(-1))) {
    const fqdn = local.get(carried.fqdn) as string;
    const toolsUsed = toolsUsedBy(version, local, plan);
    await finish(tx, who, fqdn, carried, { ...(patterns.get(version) as Pattern), toolsUsed }, plan);
  }
  // Judged by the tools as they are here, once all that they call is there.
  const changed = [...new Set(steps.map(({ carried }) => local.get(carried.fqdn) as string))];
  if (changed.length > 0) {
    await refreshStale(tx, changed);
    await signHeads(tx, keys, changed);
  }
  const updated = [...kept.values()].filter(({ what }) => what === 'updated');
  if (updated.length > 0) {
    const { rows } = await tx.query<Seen>(SEEN, [updated.map(({ fqdn }) => fqdn)]);
    await announceAll(tx, rows, 'updated');
  }
  return new Map([...kept].sort(([, a], [, b]) => (a.name < b.name ? -1 : 1)));
}

function unchanged({ fqdn, name, version }: Here): Kept {
  return { fqdn, name, version, what: 'unchanged' };
}

function begin(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  carried: Carried,
  pattern: Pattern,
  { names }: Plan,
): Promise<Capability> {
  const [first] = carried.versions as [CarriedVersion];
  const { description, intent, tags } = carried;
  return create(tx, keys, who, {
    ...{ ...pattern, description, intent, tags },
    name: names.get(carried.fqdn),
    namespace: parseFqdn(carried.fqdn)?.namespace ?? inferNamespace(pattern.toolsUsed),
    forkedFrom: `${carried.fqdn}@v${carried.versions.length}`,
    summary: first.change_summary,
    first: { author: first.author, madeAt: new Date(first.made_at), versionTag: first.version_tag },
  });
}

async function append(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  fqdn: string,
  { version, version_tag, author, made_at, change_summary }: CarriedVersion,
  pattern: Pattern,
): Promise<void> {
  const patternId = patternIdOf(pattern);
  await savePattern(tx, patternId, pattern);
  const signature = keys.sign(signedText({ ...pattern, fqdn, version }));
  await tx.query(
    `insert into capability_versions
       (capability_fqdn, version, version_tag, pattern_id, updated_by, updated_at, change_summary, signature)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      fqdn,
      version,
      version_tag,
      patternId,
      author,
      new Date(made_at),
      storedText('change_summary', change_summary),
      signature,
    ],
  );
  const key = { org: who.org, project: who.project, fqdn, version };
  await saveUses(tx, key, pattern.uses ?? [], pattern.budget);
}

const FINISH = `update capability_records r set version = v.version, version_tag = v.version_tag, pattern_id = v.pattern_id,
    signature = v.signature, code_hash = $3, tools_used = $4, forked_from = $5, updated_by = $6, updated_at = now(),
    verified = false, routing = case when r.routing_chosen then r.routing else $7 end,
    routing_chosen = r.routing_chosen or $8, calls_hash = $9, last_used_at = now(), recent = ''
  from capability_versions v where r.id = $1 and v.capability_fqdn = r.id and v.version = $2`;

/** Points the record to the last of its versions. */
async function finish(
  tx: Queryable,
  who: Principal,
  fqdn: string,
  { fqdn: origin, versions, routing, routing_chosen }: Carried,
  pattern: Pattern,
  plan: Plan,
): Promise<void> {
  const { codeHash, toolsUsed, callsHash = null } = pattern;
  const forkedFrom = `${origin}@v${versions.length}`;
  const routed = routingHere(plan, pattern, routing, routing_chosen);
  await tx.query(FINISH, [
    ...[fqdn, versions.length, codeHash, toolsUsed, forkedFrom, who.user, routed, routing_chosen, callsHash],
  ]);
}

/** Where it runs: as somebody chose, else as the tools that it uses need here. */
function routingHere({ around }: Plan, { toolsUsed }: Pattern, given: Routing, chosen: boolean): Routing {
  const known = toolsUsed.map((name) => around.toolOf(name)?.routing);
  if (chosen || known.includes(undefined)) return known.includes('local') && !chosen ? 'local' : given;
  return known.includes('local') ? 'local' : 'cloud';
}
