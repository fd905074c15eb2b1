import { canonicalJson } from '../../canonical-json.ts';
import { runCodeTask, splitVersion } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { nameTaken } from '../record/capability.ts';
import { withoutExamples } from '../record/examples.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import type { Keys } from '../trust/keys.ts';
import { assertHeadSigned, HEAD, type Head, type HeadProof } from '../trust/record-head.ts';
import type { BundledCapability } from './bundle-schema.ts';
import type { ImportPlan } from './import-plan.ts';
import { codeOf } from './validate.ts';

/** A capability of a bundle that exists here already, perhaps with fewer versions. */
export interface ExistingCapability {
  fqdn: string;
  name: string;
  version: number;
}

interface Row extends ExistingCapability {
  mine: boolean;
  forkedFrom: string | null;
  code: string;
  schema: JsonSchema;
}

/**
 * Finds the capabilities of a bundle that exist here with the same versions, under the name they would get. One that was
 * imported from the same origin and not changed since may lack the last versions, which can be added to it.
 */
export async function matchExisting(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  { byFqdn, names }: Pick<ImportPlan, 'byFqdn' | 'names'>,
): Promise<ReadonlyMap<string, ExistingCapability>> {
  const same = new Map<string, [Row, ...Row[]]>();
  for (const origin of byFqdn.keys()) {
    const [first, ...rest] = await candidate(tx, who, origin, names.get(origin));
    if (first) same.set(origin, [first, ...rest]);
  }
  // A capability whose callee does not exist here does not exist either, and so on.
  for (let before = -1; before !== same.size; ) {
    before = same.size;
    const local = new Map([...same].map(([origin, [{ fqdn }]]) => [origin, fqdn]));
    for (const [origin, found] of same) {
      const bundled = byFqdn.get(origin) as BundledCapability;
      if (!mayGrow(bundled, found) || !(await isSame(bundled, found, { local, byFqdn }))) same.delete(origin);
    }
  }
  const existing = new Map([...same].map(([origin, [first]]) => [origin, first]));
  for (const [origin, one] of existing)
    await lockIfGrowing(tx, keys, who, one, byFqdn.get(origin) as BundledCapability);
  return existing;
}

const CANDIDATE = `select r.id as fqdn, r.display_name as name, r.version, r.created_by = $3 as mine,
    r.forked_from as "forkedFrom", p.code_snippet as code, p.parameters_schema as schema
  from capability_records r join capability_versions v on v.capability_fqdn = r.id
  join workflow_pattern p on p.id = v.pattern_id`;

const BY_NAME = `r.display_name = $5 and r.id = (
    select n.fqdn from capability_names n where n.org = $1 and n.project = $2 and n.name = $5)`;

const BY_ORIGIN = `r.id = (select o.id from capability_records o where o.org = $1 and o.project = $2 and o.created_by = $3
    and o.retired_at is null and (o.id = $5 or o.forked_from like $5 || '@v%')
  order by o.id = $5 desc, o.created_at limit 1)`;

/** Reads all versions of the record with this name; without a name, of the record that was imported from the origin. */
async function candidate(
  tx: Queryable,
  who: Principal,
  origin: string,
  name: string | undefined,
): Promise<Row[]> {
  const condition = name === undefined ? BY_ORIGIN : BY_NAME;
  const { rows } = await tx.query<Row>(`${CANDIDATE} where ${VISIBLE} and ${condition} order by v.version`, [
    ...principalParameters(who),
    name ?? origin,
  ]);
  return rows;
}

/** Compares the versions that both have. */
async function isSame(
  { versions }: BundledCapability,
  found: readonly Row[],
  { local, byFqdn }: { local: ReadonlyMap<string, string>; byFqdn: ReadonlyMap<string, BundledCapability> },
): Promise<boolean> {
  const isMissing = (fqdn: string) => byFqdn.has(fqdn) && !local.has(fqdn);
  for (const [index, version] of versions.slice(0, found.length).entries()) {
    const { schema, code } = found[index] as Row;
    if (version.calls.some((call) => isMissing(splitVersion(call).name))) return false;
    // A bundle has no examples.
    if (canonicalJson(withoutExamples(schema)) !== canonicalJson(version.parameters_schema)) return false;
    if (code !== (await runCodeTask('rewrite', codeOf(version), local))) return false;
  }
  return true;
}

/** A record that lacks versions must be the principal's own import from this origin, not one that began alike. */
function mayGrow({ fqdn, versions }: BundledCapability, found: readonly [Row, ...Row[]]): boolean {
  const [{ mine, forkedFrom }] = found;
  const isWhole = found.length >= versions.length;
  return isWhole || (mine && forkedFrom?.split('@v')[0] === fqdn);
}

/** Locks a record that is to get versions. Fails if somebody has just added one. */
async function lockIfGrowing(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  { fqdn, name, version }: ExistingCapability,
  bundled: BundledCapability,
): Promise<void> {
  if (version >= bundled.versions.length) return;
  const { rows } = await tx.query<Head & HeadProof>(
    `select ${HEAD} from capability_records r where r.id = $1 for no key update`,
    [fqdn],
  );
  if (rows[0]?.version !== version) throw nameTaken(name, who);
  await assertHeadSigned(keys, rows[0], tx);
}
