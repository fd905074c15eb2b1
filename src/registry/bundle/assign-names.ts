import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { assertNameFree } from '../acts/claim-name.ts';
import { assertValidName } from '../record/capability-name.ts';
import { isFqdn } from '../record/fqdn.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import type { BundledCapability } from './bundle-schema.ts';
import type { ImportOptions, ImportPlan } from './import-plan.ts';
import { invalidBundle } from './read-bundle.ts';

const SHOWN = 10;

/** Decides the names of imported capabilities, by origin. Fails if two would be the same, or one is a tool's. */
export function assignNames(
  byFqdn: ReadonlyMap<string, BundledCapability>,
  { rename = {}, prefix, localTools }: Pick<ImportOptions, 'rename' | 'prefix' | 'localTools'>,
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
    localTools.refuse(name);
  }
  return names;
}

/** Fails if code calls a capability that is neither in the bundle nor visible to the principal. */
export async function assertCalleesKnown(
  tx: Queryable,
  who: Principal,
  byFqdn: ReadonlyMap<string, BundledCapability>,
): Promise<void> {
  const wanted = new Map<string, string>();
  for (const { name, versions } of byFqdn.values()) {
    const named = versions.flatMap(({ tools_used }) => tools_used.filter(isFqdn));
    for (const fqdn of named) if (!byFqdn.has(fqdn)) wanted.set(fqdn, name);
  }
  if (wanted.size === 0) return;
  const { rows } = await tx.query<{ id: string }>(
    `select r.id from capability_records r where ${VISIBLE} and r.record_type = 'capability' and r.id = any($5)`,
    [...principalParameters(who), [...wanted.keys()]],
  );
  for (const { id } of rows) wanted.delete(id);
  const [missing] = wanted;
  if (missing)
    throw invalidBundle(
      `"${missing[1]}" calls ${missing[0]}, which is neither in the bundle nor here.`,
      'Ask for a bundle that holds all that it calls.',
    );
}

/** Fails if names are taken, other than by the capabilities that exist already. The error lists them all. */
export async function assertNamesFree(
  tx: Queryable,
  who: Principal,
  { byFqdn, names }: Pick<ImportPlan, 'byFqdn' | 'names'>,
  existing: ReadonlyMap<string, unknown>,
): Promise<void> {
  const taken: string[] = [];
  let example = '';
  for (const [origin, name] of names) {
    if (existing.has(origin)) continue;
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
