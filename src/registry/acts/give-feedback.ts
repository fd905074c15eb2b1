import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { storedText } from '../../stored-texts.ts';
import { resolve } from '../lookup/resolve.ts';
import type { Capability } from '../record/capability.ts';
import { saveFeedback } from '../tables/capability-feedback.ts';
import { countFeedback } from '../usage/count-feedback.ts';
import { mayChange, refuseVersion } from './permissions.ts';

export interface GivenFeedback {
  success: boolean;
  note?: string | undefined;
}

/**
 * Stores a principal's feedback on a capability. It counts like the outcome of a call: a success from anyone in the
 * scope, a failure only from those who may change the capability, since failures take it off everyone's list.
 */
export function giveFeedback(
  db: Db,
  who: Principal,
  name: string,
  { success, note = '' }: GivenFeedback,
): Promise<Capability> {
  refuseVersion(name);
  return db.transaction(async (tx) => {
    const capability = await resolve(tx, who, name);
    const { fqdn, org, project } = capability;
    await saveFeedback(tx, { fqdn, user: who.user, success, note: storedText('note', note) });
    const isInScope = who.org === org && who.project === project;
    if (isInScope && (success || mayChange(who, capability))) await countFeedback(tx, fqdn, success);
    return capability;
  });
}
