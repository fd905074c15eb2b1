import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';

/** A dismissed item comes back after this many days, if it is still true. */
const DAYS = 30;

/** Condition that an item was not dismissed lately by the principal whose parameters are $1 to $3. */
export function notDismissed(item: string): string {
  return `not exists (select 1 from inbox_dismissals d where d.org = $1 and d.project = $2 and d.user_id = $3
    and d.item = ${item} and d.dismissed_at > now() - interval '${DAYS} days')`;
}

/** Hides an item from a user for a while. */
export async function dismiss(db: Queryable, { org, project, user }: Principal, item: string): Promise<void> {
  await db.query(
    `insert into inbox_dismissals (org, project, user_id, item) values ($1, $2, $3, $4)
     on conflict (org, project, user_id, item) do update set dismissed_at = now()`,
    [org, project, user, item],
  );
}

/** Shows an item again. */
export async function undismiss(
  db: Queryable,
  { org, project, user }: Principal,
  item: string,
): Promise<void> {
  await db.query(
    'delete from inbox_dismissals where org = $1 and project = $2 and user_id = $3 and item = $4',
    [org, project, user, item],
  );
}

/** Tells which of some items were dismissed. */
export async function dismissedOf(
  db: Queryable,
  { org, project, user }: Principal,
  items: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ item: string }>(
    `select item from inbox_dismissals where org = $1 and project = $2 and user_id = $3 and item = any($4)
       and dismissed_at > now() - interval '${DAYS} days'`,
    [org, project, user, items],
  );
  return new Set(rows.map(({ item }) => item));
}
