import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { assertNameFree } from '../acts/claim-name.ts';
import { asking, VISIBLE } from '../record/capability.ts';
import { assertValidName } from '../record/names.ts';
import type { Carried } from './format.ts';
import type { ImportOptions, Plan } from './import.ts';
import { invalid } from './read-bundle.ts';
import { isFqdn } from './validate.ts';

const SHOWN = 10;

/** The names that capabilities are to have here, by their origin. */
export function assignNames(
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
  const seen = new Set<string>();
  const twice = given.find((name) => seen.size === seen.add(name).size);
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

/** Fails, naming them all, if names are taken by others than those that are here already. */
export async function refuseTaken(
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
