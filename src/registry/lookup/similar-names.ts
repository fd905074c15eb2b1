import { splitVersion, suggestNames } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { notFound } from '../record/capability.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';

/** How many names a misspelt one is compared with, the most used first. */
const MAX_CANDIDATES = 2000;
/** No name is so long; comparing longer ones takes time. */
const MAX_COMPARED = 150;

/** Current and former names of the scope, each with the current one. */
const NAMES = `select n.name, r.display_name as current from capability_names n
    join capability_records r on r.id = n.fqdn
  where ${VISIBLE} and n.org = $1 and n.project = $2 and r.org = $1 and r.project = $2 and r.named
    and r.record_type = 'capability'
  order by r.usage_count desc, n.name limit ${MAX_CANDIDATES}`;

/** Lists the capabilities that a misspelt name most likely meant, by their current names. A former name suggests them too. */
export async function similarNames(db: Queryable, who: Principal, spelling: string): Promise<string[]> {
  const { name, version } = splitVersion(spelling);
  const wanted = name
    .replace(/^cap:/, '')
    .replace(/^mcp__/, '')
    .replace('__', ':');
  if (wanted.length > MAX_COMPARED) return [];
  const { rows } = await db.query<{ name: string; current: string }>(NAMES, principalParameters(who));
  const currentOf = new Map(rows.map((row) => [row.name, row.current]));
  const similar = suggestNames(wanted, currentOf.keys()).map((one) => currentOf.get(one) as string);
  const suffix = version === undefined ? '' : `@${version}`;
  return [...new Set(similar)].map((one) => `${one}${suffix}`);
}

/** The error for a name that means no capability, with those it may have meant. */
export async function unknownCapability(db: Queryable, who: Principal, name: string): Promise<PmlError> {
  const { code, message } = notFound(name);
  return new PmlError(code, message, hintOf(await similarNames(db, who, name)));
}

/** Asks whether one of these names was meant. */
export function hintOf(similar: readonly string[]): { hint?: string } {
  if (similar.length === 0) return {};
  return { hint: `Did you mean ${similar.map((one) => `"${one}"`).join(' or ')}?` };
}
