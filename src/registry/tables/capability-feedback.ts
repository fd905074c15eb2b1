import type { Queryable } from '../../store/index.ts';

/** One user's feedback on a capability. */
export interface Feedback {
  fqdn: string;
  user: string;
  success: boolean;
  note: string;
}

/** Feedback without a note keeps the user's former note, if both say the same. */
const SAVE = `insert into capability_feedback as f (capability_fqdn, user_id, successes, failures, success, note)
  values ($1, $2, $3::boolean::integer, (not $3::boolean)::integer, $3, $4)
  on conflict (capability_fqdn, user_id) do update set
    successes = least(f.successes::bigint + excluded.successes, 2147483647)::integer,
    failures = least(f.failures::bigint + excluded.failures, 2147483647)::integer,
    note = case when excluded.note = '' and f.success = excluded.success then f.note else excluded.note end,
    success = excluded.success, given_at = now()`;

/** Counts feedback in the user's row; its note replaces the former one. */
export async function saveFeedback(tx: Queryable, { fqdn, user, success, note }: Feedback): Promise<void> {
  await tx.query(SAVE, [fqdn, user, success, note]);
}
