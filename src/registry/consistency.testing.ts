import assert from 'node:assert/strict';
import type { Queryable } from '../store/index.ts';

type Row = Record<string, unknown>;

const TABLES = {
  records: `select * from capability_records where project = $1 order by id`,
  names: `select * from capability_names where project = $1 order by name`,
  aliases: `select * from capability_aliases where project = $1 order by alias`,
  versions: `select v.* from capability_versions v join capability_records r on r.id = v.capability_fqdn
    where r.project = $1 order by r.id, v.version`,
  uses: `select * from capability_uses where project = $1 order by fqdn, version, callee`,
};

/** Columns that differ between two runs of the same acts. */
const VOLATILE_COLUMNS = ['uid', 'id', 'created_at', 'updated_at', 'reserved_until', 'last_used_at'];

export interface Snapshot {
  /** Every column of every row of the scope. */
  exact: string;
  /** The same without ids, times and the scope's name: equal wherever the same acts were done. */
  plain: string;
}

/** Reads all that the registry holds of one scope. */
export async function snapshot(db: Queryable, project: string): Promise<Snapshot> {
  const all: Record<string, Row[]> = {};
  for (const [table, sql] of Object.entries(TABLES)) all[table] = (await db.query<Row>(sql, [project])).rows;
  const plain = Object.entries(all).map(([table, rows]) => [table, rows.map(comparable)]);
  return {
    exact: JSON.stringify(all),
    plain: JSON.stringify(plain, undefined, 1).replaceAll(project, 'SCOPE'),
  };
}

function comparable({ id, retired_at, signature, head_signature, ...row }: Row): Row {
  const kept = Object.entries(row).filter(([column]) => !VOLATILE_COLUMNS.includes(column));
  // The id of a record is its FQDN; that of a version is a number, and varies.
  return {
    ...Object.fromEntries(kept),
    id: typeof id === 'string' ? id : '',
    retired: Boolean(retired_at),
    signed: Boolean(signature),
    headSigned: Boolean(head_signature),
  };
}

const BROKEN = {
  'a record in use without its name, or listed otherwise than its claim says': `
    select r.id from capability_records r
    left join capability_names n on n.org = r.org and n.project = r.project and n.name = r.display_name
    where r.retired_at is null and (n.fqdn is distinct from r.id or n.listed_name is distinct from r.listed_name)`,
  'a record whose version, code or tag is not that of a version': `
    select r.id from capability_records r
    left join capability_versions v on v.capability_fqdn = r.id and v.version = r.version
    where v.id is null or v.pattern_id is distinct from r.pattern_id or v.version_tag is distinct from r.version_tag
      or v.signature is distinct from r.signature`,
  'a capability whose versions have a gap, or that is not at its last': `
    select r.id from capability_records r where r.record_type = 'capability' and (
      r.version <> (select max(v.version) from capability_versions v where v.capability_fqdn = r.id)
      or r.version <> (select count(*) from capability_versions v where v.capability_fqdn = r.id))`,
  'two records in use with one name': `
    select min(id) as id from capability_records where retired_at is null
    group by org, project, display_name having count(*) > 1`,
  'a name in another scope than its record': `
    select n.name as id from capability_names n join capability_records r on r.id = n.fqdn
    where n.org <> r.org or n.project <> r.project`,
  'an alias that leads nowhere': `
    select a.alias as id from capability_aliases a
    where not exists (select 1 from capability_records r where r.id = a.target_fqdn)`,
  'a capability whose head is not signed, or a name of one': `
    select r.id from capability_records r left join capability_names n on n.fqdn = r.id and n.signature is null
    where r.record_type = 'capability' and (r.head_signature is null or n.name is not null)`,
  'code that no version has': `
    select p.id from workflow_pattern p
    where not exists (select 1 from capability_versions v where v.pattern_id = p.id)`,
};

/** Asserts that the tables agree with each other, whatever was done and whichever process died. */
export async function assertConsistent(db: Queryable): Promise<void> {
  for (const [what, sql] of Object.entries(BROKEN)) {
    const { rows } = await db.query(sql);
    assert.deepEqual(rows, [], what);
  }
}
