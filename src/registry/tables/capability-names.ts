import type { Queryable } from '../../store/index.ts';
import { type Columns, insertion, type Sql, sql } from './sql.ts';

/** A row of `capability_names`: who owns a name in a scope, now or formerly. */
export interface NameRow {
  org: string;
  project: string;
  name: string;
  /** The name as misspellings are compared. */
  loose_name: string;
  listed_name: string;
  fqdn: string;
  /** Null for the name of a server, which never runs. */
  signature: string | null;
}

/** Claims a name if it is free: its primary key lets only one of two claims win. */
export function insertName(name: Columns<NameRow>, source?: Sql): Sql {
  return sql`insert into capability_names ${insertion(name, source)} on conflict do nothing`;
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
