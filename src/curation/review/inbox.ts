import type { Principal } from '../../principal.ts';
import { MAY_SEE, principalParameters } from '../../registry/curation/index.ts';
import { type Lifecycle, listingParameters, listingStatusSql } from '../../registry/usage/index.ts';
import type { Queryable } from '../../store/index.ts';
import { dismissedOf, notDismissed } from './dismissals.ts';
import { type FoldProposal, proposeFolds } from './propose-folds.ts';

/** The decisions that wait about capabilities which a principal may change. */
export interface InboxCounts {
  unnamed: number;
  twins: number;
  stale: number;
  failing: number;
  unused: number;
}

const open = (kind: string, condition: string) =>
  `count(*) filter (where ${condition} and ${notDismissed(`'${kind}:' || r.uid::text`)}) as ${kind}`;

const COUNTS = `select ${open('unnamed', 'not r.named')}, ${open('stale', 'r.stale is not null')},
    ${open('failing', `r.named and s.status = 'failing'`)}, ${open('unused', `r.named and s.status = 'unused'`)}
  from capability_records r cross join lateral (select ${listingStatusSql(6)} as status) s
  where ${MAY_SEE} and r.org = $1 and r.project = $2 and r.retired_at is null and r.record_type = 'capability'
    and (r.created_by = $3 or $5)`;

/** Counts what there is to decide. */
export async function countInbox(
  db: Queryable,
  who: Principal,
  lifecycle: Lifecycle,
  twins: number,
): Promise<InboxCounts> {
  const { rows } = await db.query<Omit<InboxCounts, 'twins'>>(COUNTS, [
    ...principalParameters(who),
    who.admin === true,
    ...listingParameters(lifecycle),
  ]);
  return { ...(rows[0] as Omit<InboxCounts, 'twins'>), twins };
}

/** A capability that could be folded into another one. */
export interface TwinPair {
  readonly item: string;
  readonly keep: { readonly id: string; readonly name: string };
  readonly fold: { readonly id: string; readonly name: string };
  readonly why: string;
}

/** Lists the folds that would be accepted, without those that the principal dismissed. */
export async function openTwins(db: Queryable, who: Principal): Promise<TwinPair[]> {
  const pairs = (await proposeFolds({ db, who })).flatMap(pairsOf);
  const dismissed = await dismissedOf(
    db,
    who,
    pairs.map(({ item }) => item),
  );
  return pairs.filter(({ item }) => !dismissed.has(item));
}

function pairsOf({ keep, keepName, fold, foldNames, reasoning }: FoldProposal): TwinPair[] {
  return fold.map((id, at) => ({
    item: `twins:${keep}:${id}`,
    keep: { id: keep, name: keepName },
    fold: { id, name: foldNames[at] ?? id },
    why: reasoning,
  }));
}
