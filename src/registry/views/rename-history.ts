import { hideSecrets } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import type { Renamer } from '../tables/capability-rename-history.ts';

export interface RenameEntry {
  from: string;
  to: string;
  user: string;
  renamed_by: Renamer;
  renamed_at: string;
  /** True if it took another rename back. */
  undo?: boolean;
}

const MAX_RENAMES = 100;

const RENAMES = `select old_name as "from", new_name as "to", user_id as "user", renamed_by, renamed_at, undoes
  from capability_rename_history where capability_fqdn = $1 order by id desc limit ${MAX_RENAMES}`;

/** Lists the renames of a capability, newest first. */
export async function renameHistory(db: Queryable, { fqdn }: { fqdn: string }): Promise<RenameEntry[]> {
  const { rows } = await db.query<RenameEntry & { renamed_at: Date; undoes: number | null }>(RENAMES, [fqdn]);
  return rows.map(({ from, to, renamed_at, undoes, ...entry }) => ({
    from: hideSecrets(from),
    to: hideSecrets(to),
    ...entry,
    renamed_at: renamed_at.toISOString(),
    ...(undoes !== null && { undo: true }),
  }));
}
