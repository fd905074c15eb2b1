import type { Db } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';

/** Notes whether the current version passed replay. Of a former version nothing is noted. */
export async function markVerified(db: Db, { fqdn, version }: Capability, verified: boolean): Promise<void> {
  await db.query(
    'update capability_records set verified = $3 where id = $1 and version = $2 and verified <> $3',
    [fqdn, version, verified],
  );
}
