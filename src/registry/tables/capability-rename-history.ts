import { insertion, type Sql, sql } from './sql.ts';

/** Who gives a name: a person at a command, a model through a tool, or PML by itself. */
export type Renamer = 'user' | 'agent' | 'auto';

/** A row of `capability_rename_history`. */
export interface RenameRow {
  capability_fqdn: string;
  old_name: string;
  new_name: string;
  /** Whether anybody had named the record before. */
  was_named: boolean;
  user_id: string;
  renamed_by: Renamer;
  /** The id of the rename that this one takes back. */
  undoes: number | null;
}

export function insertRename(row: RenameRow): Sql {
  return sql`insert into capability_rename_history ${insertion(row)}`;
}
