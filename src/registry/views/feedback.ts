import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { storedText } from '../../stored-texts.ts';
import { mayChange } from '../acts/permissions.ts';
import type { Capability } from '../record/capability.ts';

/** Users' feedback on a capability. */
export interface FeedbackSummary {
  successes: number;
  failures: number;
  notes: { by: string; success: boolean; note: string; at: string }[];
}

interface Row {
  successes: number;
  failures: number;
  user: string;
  success: boolean;
  note: string;
  at: Date;
}

const MAX_NOTES = 20;

/** $2 is null for those who read all notes. */
const FEEDBACK = `select sum(successes) over ()::bigint as successes, sum(failures) over ()::bigint as failures,
    user_id as "user", success, case when $2::text is null or user_id = $2 then left(note, 2000) else '' end as note,
    given_at as "at"
  from capability_feedback where capability_fqdn = $1
  order by ($2::text is null or user_id = $2) and note <> '' desc, given_at desc limit ${MAX_NOTES}`;

/** Sums up the feedback. Notes may quote data: only their author and those who may change the capability read them. */
export async function feedbackOf(
  db: Queryable,
  who: Principal,
  capability: Capability,
): Promise<FeedbackSummary | undefined> {
  const reader = mayChange(who, capability) ? null : who.user;
  const { rows } = await db.query<Row>(FEEDBACK, [capability.fqdn, reader]);
  const [first] = rows;
  if (!first) return undefined;
  const notes = rows.flatMap(({ user, success, note, at }) =>
    note === '' ? [] : [{ by: user, success, note: storedText('note', note), at: at.toISOString() }],
  );
  return { successes: first.successes, failures: first.failures, notes };
}
