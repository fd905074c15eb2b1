import { canonicalJson } from '../../canonical-json.ts';
import { runCodeTask, splitVersion } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { asking, nameTaken, VISIBLE } from '../record/capability.ts';
import type { Keys } from '../trust/keys.ts';
import { assertSigned, HEAD, type Head, type HeadProof } from '../trust/record-head.ts';
import type { Carried } from './format.ts';
import type { Plan } from './import.ts';
import { codeOf } from './validate.ts';

/** A capability of a bundle that is here already, perhaps with fewer versions. */
export interface Here {
  fqdn: string;
  name: string;
  version: number;
}

interface Row extends Here {
  mine: boolean;
  forkedFrom: string | null;
  code: string;
  schema: JsonSchema;
}

/**
 * Which capabilities of the bundle are here, version by version, under the name they would get. One that came from the
 * same origin and has not been changed since may lack the last of them: these can be added to it.
 */
export async function matchExisting(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  { byFqdn, names }: Pick<Plan, 'byFqdn' | 'names'>,
): Promise<ReadonlyMap<string, Here>> {
  const same = new Map<string, [Row, ...Row[]]>();
  for (const origin of byFqdn.keys()) {
    const [first, ...rest] = await candidate(tx, who, origin, names.get(origin));
    if (first) same.set(origin, [first, ...rest]);
  }
  // One that calls another that is not here is not here either, and so on.
  for (let before = -1; before !== same.size; ) {
    before = same.size;
    const local = new Map([...same].map(([origin, [{ fqdn }]]) => [origin, fqdn]));
    for (const [origin, found] of same) {
      const carried = byFqdn.get(origin) as Carried;
      if (!mayGrow(carried, found) || !(await isSame(carried, found, { local, byFqdn }))) same.delete(origin);
    }
  }
  const here = new Map([...same].map(([origin, [first]]) => [origin, first]));
  for (const [origin, one] of here) await hold(tx, keys, who, one, byFqdn.get(origin) as Carried);
  return here;
}

const CANDIDATE = `select r.id as fqdn, r.display_name as name, r.version, r.created_by = $3 as mine,
    r.forked_from as "forkedFrom", p.code_snippet as code, p.parameters_schema as schema
  from capability_records r join capability_versions v on v.capability_fqdn = r.id
  join workflow_pattern p on p.id = v.pattern_id`;

const BY_NAME = `r.display_name = $4 and r.id = (
    select n.fqdn from capability_names n where n.org = $1 and n.project = $2 and n.name = $4)`;

const BY_ORIGIN = `r.id = (select o.id from capability_records o where o.org = $1 and o.project = $2 and o.created_by = $3
    and o.retired_at is null and (o.id = $4 or o.forked_from like $4 || '@v%')
  order by o.id = $4 desc, o.created_at limit 1)`;

/** All versions of the record that has this name, or that one without a name became when it was imported before. */
async function candidate(
  tx: Queryable,
  who: Principal,
  origin: string,
  name: string | undefined,
): Promise<Row[]> {
  const condition = name === undefined ? BY_ORIGIN : BY_NAME;
  const { rows } = await tx.query<Row>(`${CANDIDATE} where ${VISIBLE} and ${condition} order by v.version`, [
    ...asking(who),
    name ?? origin,
  ]);
  return rows;
}

/** Whether the versions that both have are the same. */
async function isSame(
  { versions }: Carried,
  found: readonly Row[],
  { local, byFqdn }: { local: ReadonlyMap<string, string>; byFqdn: ReadonlyMap<string, Carried> },
): Promise<boolean> {
  const isAway = (fqdn: string) => byFqdn.has(fqdn) && !local.has(fqdn);
  for (const [index, version] of versions.slice(0, found.length).entries()) {
    const { schema, code } = found[index] as Row;
    if (version.calls.some((call) => isAway(splitVersion(call).name))) return false;
    if (canonicalJson(schema) !== canonicalJson(version.parameters_schema)) return false;
    if (code !== (await runCodeTask('rewrite', codeOf(version), local))) return false;
  }
  return true;
}

/** What lacks versions must be the principal's own, from this origin: else it is another that began alike. */
function mayGrow({ fqdn, versions }: Carried, found: readonly [Row, ...Row[]]): boolean {
  const [{ mine, forkedFrom }] = found;
  const isWhole = found.length >= versions.length;
  return isWhole || (mine && forkedFrom?.split('@v')[0] === fqdn);
}

/** Holds a record that is to grow; whoever gives it a version at this moment is first, and this fails. */
async function hold(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  { fqdn, name, version }: Here,
  carried: Carried,
): Promise<void> {
  if (version >= carried.versions.length) return;
  const { rows } = await tx.query<Head & HeadProof>(
    `select ${HEAD} from capability_records r where r.id = $1 for no key update`,
    [fqdn],
  );
  if (rows[0]?.version !== version) throw nameTaken(name, who);
  await assertSigned(keys, rows[0], tx);
}
