import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { storedText } from '../../stored-texts.ts';
import { mayChange } from '../acts/permissions.ts';
import { type Capability, nameFor, notFound, type Scope } from '../record/capability.ts';
import { isFqdn } from '../record/fqdn.ts';
import { CAPABILITY, FROM_CAPABILITY, REVISION } from '../record/record-sql.ts';
import { MAY_SEE, principalParameters, VISIBLE } from '../record/visibility.ts';
import { displayCode, displayNames } from './display-names.ts';

/** A capability that a person looks at. It may be retired. */
export type ShownCapability = Capability & { readonly revision: string; readonly canChange: boolean };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds a capability by its id, even a retired one. Fails for one that the principal may not see. */
export async function findShown(db: Queryable, who: Principal, id: string): Promise<ShownCapability> {
  if (!UUID.test(id)) throw notFound(id);
  const { rows } = await db.query<Capability & { revision: string }>(
    `select ${CAPABILITY}, ${REVISION} as "revision" from ${FROM_CAPABILITY} where ${MAY_SEE} and r.uid = $5::uuid`,
    [...principalParameters(who), id],
  );
  const [found] = rows;
  if (!found) throw notFound(id);
  return { ...found, canChange: mayChange(who, found) };
}

export interface ShownVersion {
  version: number;
  tag: string | null;
  by: string;
  at: string;
  summary: string;
}

const MAX_VERSIONS = 500;

/** Lists the versions of a capability without their code, newest first. */
export async function listVersions(db: Queryable, fqdn: string): Promise<ShownVersion[]> {
  const { rows } = await db.query<Omit<ShownVersion, 'at'> & { at: Date }>(
    `select version, version_tag as tag, updated_by as by, updated_at as at, left(change_summary, 10000) as summary
     from capability_versions where capability_fqdn = $1 order by version desc limit ${MAX_VERSIONS}`,
    [fqdn],
  );
  return rows.map((row) => ({
    ...row,
    at: row.at.toISOString(),
    summary: storedText('change_summary', row.summary),
  }));
}

/** Reads the code of some versions, with today's names. */
export async function codeOfVersions(
  db: Queryable,
  who: Principal,
  { fqdn, name }: Pick<Capability, 'fqdn' | 'name'>,
  versions: readonly number[],
): Promise<string[]> {
  const { rows } = await db.query<{ version: number; code: string }>(
    `select v.version, p.code_snippet as code from capability_versions v join workflow_pattern p on p.id = v.pattern_id
     where v.capability_fqdn = $1 and v.version = any($2::integer[])`,
    [fqdn, versions],
  );
  const stored = versions.map((version) => {
    const code = rows.find((row) => row.version === version)?.code;
    if (code === undefined)
      throw new PmlError('version_not_found', `Version ${version} not found for ${name}`);
    return code;
  });
  return displayCode(db, who, stored);
}

/** The callees of a capability, and its callers: the first of each, and how many there are. */
export interface Neighbours {
  uses: { name: string; kind: 'tool' | 'capability'; id?: string }[];
  usesTotal: number;
  usedBy: { id: string; name: string }[];
  usedByTotal: number;
}

const MAX_NEIGHBOURS = 200;

export async function neighboursOf(
  db: Queryable,
  who: Principal,
  { fqdn, version, toolsUsed }: Capability,
): Promise<Neighbours> {
  const callees = await db.query<{ callee: string; id: string | null; total: number }>(
    `select u.callee, r.uid::text as id, count(*) over () as total from capability_uses u
       left join capability_records r on r.id = u.callee and ${MAY_SEE}
     where u.fqdn = $5 and u.version = $6 order by u.callee limit ${MAX_NEIGHBOURS}`,
    [...principalParameters(who), fqdn, version],
  );
  const ids = new Map(callees.rows.map(({ callee, id }) => [callee, id]));
  const named = ids.size > 0 ? [...ids.keys()] : toolsUsed;
  const all = named.slice(0, MAX_NEIGHBOURS);
  const names = await displayNames(db, who, all);
  const callers = await db.query<Scope & { id: string; name: string; total: number }>(
    `select r.uid::text as id, r.display_name as name, r.org, r.project, count(*) over () as total from capability_uses u
       join capability_records r on r.id = u.fqdn and r.version = u.version
     where ${VISIBLE} and u.callee = $5 order by name limit ${MAX_NEIGHBOURS}`,
    [...principalParameters(who), fqdn],
  );
  return {
    uses: all.map((callee, at) => {
      const id = ids.get(callee);
      const kind = isFqdn(callee) ? ('capability' as const) : ('tool' as const);
      return { name: names[at] ?? callee, kind, ...(id && { id }) };
    }),
    usesTotal: callees.rows[0]?.total ?? named.length,
    usedByTotal: callers.rows[0]?.total ?? 0,
    usedBy: callers.rows.map((row) => ({ id: row.id, name: nameFor(who, row) })),
  };
}

/** Finds the ids of some capabilities that the principal may see, by FQDN. */
export async function idsOf(
  db: Queryable,
  who: Principal,
  fqdns: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ fqdn: string; id: string }>(
    `select r.id as fqdn, r.uid::text as id from capability_records r where ${MAY_SEE} and r.id = any($5)`,
    [...principalParameters(who), fqdns],
  );
  return new Map(rows.map(({ fqdn, id }) => [fqdn, id]));
}
