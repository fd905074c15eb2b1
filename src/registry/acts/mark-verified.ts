import type { Db } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';
import { setVerified } from '../tables/capability-records.ts';

/** Notes whether the current version passed replay. A former version is left as it is. */
export async function markVerified(db: Db, { fqdn, version }: Capability, verified: boolean): Promise<void> {
  await setVerified(db, fqdn, version, verified);
}
