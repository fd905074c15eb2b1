import type { Db, Queryable } from './index.ts';

/** Rows that this transaction has read, by scans of tables and by indexes; functions count too, which plans do not show. */
const ROWS_READ = `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::bigint as rows
  from pg_stat_xact_user_tables where schemaname = current_schema()`;

/** Counts the rows of tables that an act reads in a transaction, which is rolled back. */
export async function rowsReadBy(db: Db, act: (tx: Queryable) => Promise<unknown>): Promise<number> {
  const undone = new Error('undone');
  let read = 0;
  await db
    .transaction(async (tx) => {
      const count = async () => (await tx.query<{ rows: number }>(ROWS_READ)).rows[0]?.rows ?? 0;
      const before = await count();
      await act(tx);
      read = (await count()) - before;
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
  return read;
}
