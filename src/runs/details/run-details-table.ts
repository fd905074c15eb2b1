import type { Queryable } from '../../store/index.ts';

/** A row of `run_details`. */
export interface DetailsRow {
  id: string;
  org: string;
  project: string;
  user_id: string;
  kind: 'run' | 'capability';
  intent: string | null;
  fqdn: string | null;
  version: number | null;
  code: string | null;
  args: string | null;
  result: string | null;
  result_bytes: number | null;
  logs: string | null;
  error: string | null;
  line: number | null;
  col: number | null;
}

const COLUMNS =
  'id, org, project, user_id, kind, intent, fqdn, version, code, args, result, result_bytes, logs, error, line, col';

const INSERT = `insert into run_details (${COLUMNS})
  select ${COLUMNS} from json_to_recordset($1::json) as r(id uuid, org text, project text, user_id text, kind text, intent text,
    fqdn text, version integer, code text, args text, result text, result_bytes bigint, logs text, error text, line integer,
    col integer)
  on conflict (id) do nothing`;

export async function insertDetails(db: Queryable, rows: readonly DetailsRow[]): Promise<void> {
  await db.query(INSERT, [JSON.stringify(rows)]);
}

/** Reads the details of a run. Only the user whose run it was may read them. */
export async function readDetails(
  db: Queryable,
  { org, project, user }: { org: string; project: string; user: string },
  id: string,
): Promise<DetailsRow | undefined> {
  const { rows } = await db.query<DetailsRow>(
    `select ${COLUMNS} from run_details where id = $1::uuid and org = $2 and project = $3 and user_id = $4`,
    [id, org, project, user],
  );
  return rows[0];
}

/** Deletes details of a scope from before an id. Returns how many there were. */
export async function deleteDetails(
  db: Queryable,
  { org, project }: { org: string; project: string },
  before: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from run_details where id in (
       select id from run_details where id < $1::uuid and org = $2 and project = $3 order by id limit $4)`,
    [before, org, project, limit],
  );
  return rowCount;
}
