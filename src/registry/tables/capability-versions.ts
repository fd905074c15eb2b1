import { type Columns, insertion, raw, type Sql, sql } from './sql.ts';

/** A row of `capability_versions`. Rows are only ever added: triggers refuse anything else. */
export interface VersionRow {
  capability_fqdn: string;
  version: number;
  version_tag: string | null;
  pattern_id: string;
  /** Where the code of a server is. */
  code_url: string | null;
  updated_by: string;
  updated_at: Date;
  change_summary: string;
  signature: string;
}

export function insertVersion(version: Columns<VersionRow>, source?: Sql): Sql {
  return sql`insert into capability_versions ${insertion(version, source)}`;
}

/** The columns that a version has in common with its record. */
const OF_RECORD = {
  capability_fqdn: raw('id'),
  version: raw('version'),
  pattern_id: raw('pattern_id'),
  signature: raw('signature'),
} satisfies Columns<VersionRow>;

/** Inserts the version that record `r` of the same statement points to; nothing, if `r` is empty. */
export function insertVersionOfRecord(version: Columns<VersionRow>): Sql {
  return insertVersion({ ...version, ...OF_RECORD }, sql`from r`);
}
