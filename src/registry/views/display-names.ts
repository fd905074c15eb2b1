import { setImmediate as yieldOnce } from 'node:timers/promises';
import { runCodeTask, splitVersion } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { nameFor, type Scope } from '../record/capability.ts';
import { isFqdn } from '../record/fqdn.ts';
import { MAY_SEE, principalParameters } from '../record/visibility.ts';

/** Replaces a capability that the reader may not see. */
const HIDDEN = 'hidden:capability';

/** Replaces the FQDNs in stored code by the names that capabilities have now, for people and agents to read. */
export async function displayCode(
  db: Queryable,
  who: Principal,
  stored: readonly string[],
): Promise<string[]> {
  const references: string[][] = [];
  for (const code of stored) {
    references.push(await referencesOf(code));
    // A history may hold a thousand versions, so other work gets a turn after each.
    if (stored.length > 1) await yieldOnce();
  }
  const names = await currentNames(db, who, references.flat());
  const shown: string[] = [];
  for (const [index, code] of stored.entries()) {
    shown.push(references[index]?.length ? await runCodeTask('rewrite', code, names) : code);
    if (stored.length > 1) await yieldOnce();
  }
  return shown;
}

/** Replaces FQDNs in a list of tools and capabilities by the names they have now. */
export async function displayNames(
  db: Queryable,
  who: Principal,
  stored: readonly string[],
): Promise<string[]> {
  const names = await currentNames(db, who, stored.filter(isFqdn));
  return stored.map((name) => names.get(name) ?? name);
}

async function referencesOf(code: string): Promise<string[]> {
  const names = (await runCodeTask('referencedNames', code)).map((name) => splitVersion(name).name);
  return [...new Set(names)].filter(isFqdn);
}

async function currentNames(
  db: Queryable,
  who: Principal,
  fqdns: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map(fqdns.map((fqdn) => [fqdn, HIDDEN]));
  if (fqdns.length === 0) return names;
  const { rows } = await db.query<Scope & { fqdn: string; name: string }>(
    `select r.id as "fqdn", r.display_name as "name", r.org, r.project from capability_records r
     where ${MAY_SEE} and r.id = any($5)`,
    [...principalParameters(who), [...names.keys()]],
  );
  for (const row of rows) names.set(row.fqdn, nameFor(who, row));
  return names;
}
