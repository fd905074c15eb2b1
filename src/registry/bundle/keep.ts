import { foldName, hashOf, inferNamespace, rewriteReferences } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { signedText } from '../check.ts';
import { create, type Pattern, savePattern } from '../create.ts';
import { parseFqdn } from '../fqdn.ts';
import type { Keys } from '../keys.ts';
import type { Capability, Routing } from '../record.ts';
import { codeOf, isFqdn } from './examine.ts';
import type { Carried, CarriedVersion } from './format.ts';
import type { Step } from './graph.ts';
import type { Plan } from './import.ts';
import type { Here } from './plan.ts';

/** What became of a capability. */
export interface Kept extends Here {
  what: 'created' | 'unchanged';
}

interface Keeping extends Plan {
  steps: readonly Step[];
  here: ReadonlyMap<string, Here>;
}

/** Writes the versions, in an order in which what they name is there, and points them to what it is called here. */
export async function keepAll(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  { steps, here, ...plan }: Keeping,
): Promise<ReadonlyMap<string, Kept>> {
  const kept = new Map<string, Kept>([...here].map(([origin, one]) => [origin, unchanged(one)]));
  const local = new Map([...here].map(([origin, { fqdn }]) => [origin, fqdn]));
  for (const { carried, version } of steps) {
    const pattern = patternOf(version, local, plan);
    const origin = carried.fqdn;
    if (version.version === 1) {
      const made = await begin(tx, keys, who, carried, pattern, plan);
      local.set(origin, made.fqdn);
      kept.set(origin, { fqdn: made.fqdn, name: made.name, version: 1, what: 'created' });
      continue;
    }
    const before = kept.get(origin) as Kept;
    await append(tx, keys, before.fqdn, version, pattern);
    kept.set(origin, { ...before, version: version.version });
  }
  // What a version was found to use may have begun after it.
  for (const { carried, version } of steps) {
    if (version === carried.versions.at(-1))
      await finish(
        tx,
        keys,
        who,
        local.get(carried.fqdn) as string,
        carried,
        patternOf(version, local, plan),
        plan,
      );
  }
  return new Map([...kept].sort(([, a], [, b]) => (a.name < b.name ? -1 : 1)));
}

function unchanged({ fqdn, name, version }: Here): Kept {
  return { fqdn, name, version, what: 'unchanged' };
}

/** Code as it is kept here, with the identity that it would have if it had been learned here. */
function patternOf(
  version: CarriedVersion,
  local: ReadonlyMap<string, string>,
  { around, byFqdn }: Plan,
): Pattern {
  const code = rewriteReferences(codeOf(version), local);
  const used = version.tools_used.flatMap((name) => {
    // What only a run has shown may not have begun yet.
    if (byFqdn.has(name)) return local.get(name) ?? [];
    return isFqdn(name) ? name : (around.toolOf(name)?.name ?? name);
  });
  const toolsUsed = [...new Set(used)];
  const nameOf = (spelling: string) =>
    isFqdn(spelling)
      ? undefined
      : (around.toolOf(spelling)?.name ?? toolsUsed.find((tool) => foldName(tool) === foldName(spelling)));
  return { code, codeHash: hashOf(code, { nameOf }), parametersSchema: version.parameters_schema, toolsUsed };
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
  fqdn: string,
  { version, version_tag, author, made_at, change_summary }: CarriedVersion,
  pattern: Pattern,
): Promise<void> {
  const patternId = await savePattern(tx, pattern);
  const signature = keys.sign(signedText({ ...pattern, fqdn, version }));
  await tx.query(
    `insert into capability_versions
       (capability_fqdn, version, version_tag, pattern_id, updated_by, updated_at, change_summary, signature)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [fqdn, version, version_tag, patternId, author, new Date(made_at), change_summary, signature],
  );
}

/** Points the record to the last of its versions. */
async function finish(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  fqdn: string,
  { versions, routing, routing_chosen }: Carried,
  pattern: Pattern,
  plan: Plan,
): Promise<void> {
  const { version, version_tag } = versions.at(-1) as CarriedVersion;
  const patternId = await savePattern(tx, pattern);
  const signature = keys.sign(signedText({ ...pattern, fqdn, version }));
  await tx.query(
    `update capability_records set version = $2, version_tag = $3, pattern_id = $4, code_hash = $5, tools_used = $6,
       routing = $7, routing_chosen = $8, signature = $9, updated_by = $10 where id = $1`,
    [
      ...[fqdn, version, version_tag, patternId, pattern.codeHash, pattern.toolsUsed],
      ...[routingHere(plan, pattern, routing, routing_chosen), routing_chosen, signature, who.user],
    ],
  );
}

/** Where it runs: as somebody chose, else as the tools that it uses need here. */
function routingHere({ around }: Plan, { toolsUsed }: Pattern, given: Routing, chosen: boolean): Routing {
  const known = toolsUsed.map((name) => around.toolOf(name)?.routing);
  if (chosen || known.includes(undefined)) return known.includes('local') && !chosen ? 'local' : given;
  return known.includes('local') ? 'local' : 'cloud';
}
