import type { Queryable } from '../../store/index.ts';
import { insertion, raw, type Sql, sql } from './sql.ts';

/** A row of `capability_names`: who owns a name in a scope, now or formerly. */
export interface NameRow {
  org: string;
  project: string;
  name: string;
  /** The name folded by `looseName`, to match misspellings. */
  loose_name: string;
  listed_name: string;
  fqdn: string;
  /** Null for the name of a server, which never runs. */
  signature: string | null;
}

/** Claims a name if it is free: the primary key lets only one of two claims win. */
export function insertName(name: NameRow): Sql {
  return sql`insert into capability_names ${insertion(name)} on conflict do nothing`;
}

/** Claims the name of record `r` of the same statement, if it is free and the condition holds. */
export function insertNameOfRecord({ loose_name, signature }: NameRow, condition = true): Sql {
  const columns = {
    org: raw('org'),
    project: raw('project'),
    name: raw('display_name'),
    loose_name,
    listed_name: raw('listed_name'),
    fqdn: raw('id'),
    signature,
  };
  const source = sql`from r where ${condition}::boolean`;
  return sql`insert into capability_names ${insertion(columns, source)} on conflict do nothing`;
}

/** Gives a name to another record. */
export async function transferName(
  tx: Queryable,
  { org, project, name, fqdn, signature }: Omit<NameRow, 'loose_name' | 'listed_name'>,
): Promise<void> {
  await tx.query(
    `update capability_names set fqdn = $4, created_at = now(), signature = $5
     where org = $1 and project = $2 and name = $3`,
    [org, project, name, fqdn, signature],
  );
}

const SIGN = `update capability_names n set signature = s.signature
  from jsonb_to_recordset($1::jsonb) as s(org text, project text, name text, signature text)
  where n.name = s.name and n.org = s.org and n.project = s.project`;

export async function signNames(
  tx: Queryable,
  signed: readonly Pick<NameRow, 'org' | 'project' | 'name' | 'signature'>[],
): Promise<void> {
  await tx.query(SIGN, [JSON.stringify(signed)]);
}
