import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { insertRename, type Renamer } from '../tables/capability-rename-history.ts';
import { run } from '../tables/sql.ts';

/** A rename that can be undone. */
export interface PastRename {
  id: number;
  oldName: string;
  newName: string;
  wasNamed: boolean;
}

interface Circumstances {
  renamedBy?: Renamer | undefined;
  undoes?: PastRename | undefined;
}

/** Adds a rename to the history. `before` is the record with its old name. */
export async function noteRename(
  tx: Queryable,
  who: Principal,
  before: { fqdn: string; name: string; named: boolean },
  newName: string,
  { renamedBy, undoes }: Circumstances = {},
): Promise<void> {
  const row = {
    capability_fqdn: before.fqdn,
    old_name: before.name,
    new_name: newName,
    was_named: before.named,
    user_id: who.user,
    renamed_by: renamedBy ?? (who.person ? 'user' : 'agent'),
    undoes: undoes?.id ?? null,
  } as const;
  await run(tx, insertRename(row));
}
