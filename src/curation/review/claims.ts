import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';

/** The claim of a process that died blocks others for this long. */
const CLAIM_MINUTES = 10;

/** Claims background curation for a principal; false if another process has it. The primary key settles races. */
export async function claimCuration(db: Queryable, { org, project, user }: Principal): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into curation_claims as c (org, project, user_id, claimed_until)
     values ($1, $2, $3, now() + interval '${CLAIM_MINUTES} minutes')
     on conflict (org, project, user_id) do update set claimed_until = excluded.claimed_until
     where c.claimed_until < now()`,
    [org, project, user],
  );
  return rowCount > 0;
}

export async function releaseCuration(db: Queryable, { org, project, user }: Principal): Promise<void> {
  await db.query('delete from curation_claims where org = $1 and project = $2 and user_id = $3', [
    org,
    project,
    user,
  ]);
}
