import type { Queryable } from '../../store/index.ts';

/** The advisory lock around everything that decides what is stale. Taken before any record is locked. */
const DRIFT_LOCK = 7_263_549;

/** Shared by acts that only add records: what they are judged by stays as it is until they commit. */
export const SHARE_DRIFT_LOCK = `pg_advisory_xact_lock_shared(${DRIFT_LOCK})`;

/** Held alone by acts that change what is judged. Waits for records that are being added. */
export async function lockDrift(tx: Queryable): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [DRIFT_LOCK]);
}
