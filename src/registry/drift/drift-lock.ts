import type { Queryable } from '../../store/index.ts';

/** The advisory lock around everything that decides what is stale. Taken before any record is locked. */
const DRIFT_LOCK = 7_263_549;

/** Acts that only add records take the lock shared: the tools they are checked against stay until they commit. */
export const SHARE_DRIFT_LOCK = `pg_advisory_xact_lock_shared(${DRIFT_LOCK})`;

/** Takes the lock exclusively, for acts that change tools, code or schemas; waits for acts that are adding records. */
export async function lockDrift(tx: Queryable): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [DRIFT_LOCK]);
}
