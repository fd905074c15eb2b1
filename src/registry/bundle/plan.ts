import { rewriteReferences, splitVersion } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { canonical } from '../canonical.ts';
import { assertNameFree } from '../claim.ts';
import { assertValidName } from '../names.ts';
import { asking, type JsonSchema, VISIBLE } from '../record.ts';
import { codeOf, isFqdn } from './examine.ts';
import type { Carried } from './format.ts';
import type { ImportOptions, Plan } from './import.ts';
import { invalid } from './read.ts';

const SHOWN = 10;

/** The names that capabilities are to have here, by their origin. */
export function namesFor(
  byFqdn: ReadonlyMap<string, Carried>,
  { rename = {}, prefix, around }: Pick<ImportOptions, 'rename' | 'prefix' | 'around'>,
): ReadonlyMap<string, string> {
  const asked = new Map(Object.entries(rename));
  const names = new Map<string, string>();
  for (const { fqdn, name, named } of byFqdn.values()) {
    const other = asked.get(name);
    asked.delete(name);
    if (!named && other === undefined) continue;
    names.set(fqdn, other ?? (prefix === undefined ? name : `${prefix}:${name}`));
  }
  const [unknown] = asked.keys();
  if (unknown !== undefined)
    throw new PmlError('bad_request', `There is no "${unknown}" in this bundle to be renamed.`);
  const given = [...names.values()];
  const twice = given.find((name, index) => given.indexOf(name) !== index);
  if (twice !== undefined) throw new PmlError('bad_request', `Two capabilities would be called "${twice}".`);
  for (const name of given) {
    assertValidName(name);
    around.refuse(name);
  }
  return names;
}

/** Fails if code names a capability that is neither in the bundle nor, for this principal, in the registry. */
export async function assertKnown(
  tx: Queryable,
  who: Principal,
  byFqdn: ReadonlyMap<string, Carried>,
): Promise<void> {
  const wanted = new Map<string, string>();
  for (const { name, versions } of byFqdn.values()) {
    const named = versions.flatMap(({ tools_used }) => tools_used.filter(isFqdn));
    for (const fqdn of named) if (!byFqdn.has(fqdn)) wanted.set(fqdn, name);
  }
  if (wanted.size === 0) return;
  const { rows } = await tx.query<{ id: string }>(
    `select r.id from capability_records r where ${VISIBLE} and r.record_type = 'capability' and r.id = any($4)`,
    [...asking(who), [...wanted.keys()]],
  );
  for (const { id } of rows) wanted.delete(id);
  const [missing] = wanted;
  if (missing)
    throw invalid(
      `"${missing[1]}" calls ${missing[0]}, which is neither in the bundle nor here.`,
      'Ask for a bundle that holds all that it calls.',
    );
}

export interface Here {
  fqdn: string;
  name: string;
  version: number;
}

interface HereVersion extends Here {
  number: number;
  code: string;
  schema: JsonSchema;
}

/**
 * Which capabilities of the bundle are here already, version by version, under the name they would get. Fails, naming
 * them all, if other names are taken.
 */
export async function alreadyHere(
  tx: Queryable,
  who: Principal,
  { byFqdn, names }: Plan,
): Promise<ReadonlyMap<string, Here>> {
  const same = new Map<string, HereVersion[]>();
  for (const { fqdn } of byFqdn.values()) {
    const found = await candidate(tx, who, fqdn, names.get(fqdn));
    if (found.length > 0) same.set(fqdn, found);
  }
  // One that calls another that is not here is not here either, and so on.
  for (let before = -1; before !== same.size; ) {
    before = same.size;
    const local = new Map([...same].map(([origin, [first]]) => [origin, (first as HereVersion).fqdn]));
    for (const [origin, found] of same) {
      if (!isSame(byFqdn.get(origin) as Carried, found, local, byFqdn)) same.delete(origin);
    }
  }
  await refuseTaken(tx, who, { byFqdn, names }, same);
  return new Map([...same].map(([origin, [first]]) => [origin, first as Here]));
}

const CANDIDATE = `select r.id as fqdn, r.display_name as name, r.version, v.version as number, p.code_snippet as code,
    p.parameters_schema as schema
  from capability_records r join capability_versions v on v.capability_fqdn = r.id
  join workflow_pattern p on p.id = v.pattern_id`;

/** The record that has this name, or that an unnamed one became when it was imported before. */
async function candidate(
  tx: Queryable,
  who: Principal,
  origin: string,
  name: string | undefined,
): Promise<HereVersion[]> {
  const condition =
    name === undefined
      ? `r.id = (select o.id from capability_records o where o.org = $1 and o.project = $2 and o.created_by = $3
           and o.retired_at is null and (o.id = $4 or o.forked_from like $4 || '@v%') order by o.id = $4 desc, o.created_at limit 1)`
      : `r.id = (select n.fqdn from capability_names n where n.org = $1 and n.project = $2 and n.name = $4)
         and r.display_name = $4`;
  const { rows } = await tx.query<HereVersion>(
    `${CANDIDATE} where ${VISIBLE} and ${condition} order by v.version`,
    [...asking(who), name ?? origin],
  );
  return rows;
}

function isSame(
  { versions }: Carried,
  found: readonly HereVersion[],
  local: ReadonlyMap<string, string>,
  byFqdn: ReadonlyMap<string, Carried>,
): boolean {
  return versions.every((version, index) => {
    const here = found[index];
    if (!here || version.calls.some((call) => lacks(splitVersion(call).name))) return false;
    const isSameSchema = canonical(here.schema) === canonical(version.parameters_schema);
    return isSameSchema && here.code === rewriteReferences(codeOf(version), local);
  });
  function lacks(fqdn: string): boolean {
    return byFqdn.has(fqdn) && !local.has(fqdn);
  }
}

async function refuseTaken(
  tx: Queryable,
  who: Principal,
  { byFqdn, names }: Pick<Plan, 'byFqdn' | 'names'>,
  here: ReadonlyMap<string, unknown>,
): Promise<void> {
  const taken: string[] = [];
  let example = '';
  for (const [origin, name] of names) {
    if (here.has(origin)) continue;
    const isTaken = await assertNameFree(tx, who, name).then(
      () => false,
      (error: unknown) => error instanceof PmlError || Promise.reject(error),
    );
    if (!isTaken) continue;
    taken.push(name);
    example ||= byFqdn.get(origin)?.name ?? '';
  }
  if (taken.length === 0) return;
  const shown = taken.slice(0, SHOWN).map((name) => `'${name}'`);
  const more = taken.length > SHOWN ? ` and ${taken.length - SHOWN} more` : '';
  const verb = taken.length === 1 ? 'Capability name' : 'Capability names';
  throw new PmlError(
    'name_taken',
    `${verb} ${shown.join(', ')}${more} already exist${taken.length === 1 ? 's' : ''} in scope ${who.org}.${who.project}`,
    {
      hint: `Nothing was imported. Give other names: --rename ${example}=NEW_NAME, or --prefix WORD for all.`,
    },
  );
}
