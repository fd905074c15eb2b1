import type { Db, Queryable } from '../../store/index.ts';

/** When a capability leaves the list of tools. Null or 0 turns a rule off. */
export interface Lifecycle {
  unusedDays: number | null;
  minSuccessRate: number | null;
  minCalls: number | null;
}

/** What speaks for or against listing a capability. */
export interface Evidence {
  lastUsedAt: Date;
  /** The outcomes of its latest calls, oldest first: 1 for a success, 0 for a failure. */
  recent: string;
}

export type Standing = 'listed' | 'unused' | 'failing';

/** How many outcomes are kept. */
export const WINDOW = 20;
const DAY_MS = 86_400_000;
const CHANNEL = 'pml_standing';

/** Whether a capability is listed. One that fails is back as soon as it succeeds, one that is unused as soon as it is called. */
export function standingOf(
  { lastUsedAt, recent }: Evidence,
  settings: Lifecycle,
  now = Date.now(),
): Standing {
  const { minSuccessRate, minCalls, unusedDays } = settings;
  const isFailing =
    !!minSuccessRate &&
    !!minCalls &&
    recent.length >= minCalls &&
    recent.endsWith('0') &&
    rateOf(recent) < minSuccessRate;
  if (isFailing) return 'failing';
  return unusedDays && lastUsedAt.getTime() < now - unusedDays * DAY_MS ? 'unused' : 'listed';
}

/** The same as a condition on record `r`, with the parameters that `standingValues` gives from number `first` on. */
export function standingSql(first: number): string {
  const [since, rate, calls] = [first, first + 1, first + 2].map((at) => `$${at}`);
  return `case when length(r.recent) >= ${calls}::integer and r.recent like '%0'
      and length(replace(r.recent, '0', ''))::float8 / length(r.recent) < ${rate}::float8 then 'failing'
    when r.last_used_at < ${since}::timestamptz then 'unused' else 'listed' end`;
}

export function standingValues(
  { unusedDays, minSuccessRate, minCalls }: Lifecycle,
  now = Date.now(),
): unknown[] {
  const since = unusedDays ? new Date(now - unusedDays * DAY_MS).toISOString() : null;
  const isOn = minSuccessRate && minCalls;
  return [since, isOn ? minSuccessRate : null, isOn ? minCalls : null];
}

/** Why it is listed or not, in words. */
export function explainStanding(evidence: Evidence, settings: Lifecycle, now = Date.now()): string {
  const { recent } = evidence;
  const { minSuccessRate, unusedDays } = settings;
  const days = Math.floor((now - evidence.lastUsedAt.getTime()) / DAY_MS);
  const succeeded = `${successesOf(recent)} of its last ${recent.length} calls succeeded`;
  switch (standingOf(evidence, settings, now)) {
    case 'failing':
      return `${succeeded}, less than ${percent(minSuccessRate)}, and the last one failed; it is listed again when a call succeeds`;
    case 'unused':
      return `not used for ${days} days, more than ${unusedDays}; it is listed again when it is called`;
    default:
      return `${days < 1 ? 'used within a day' : `used ${days} days ago`}${recent === '' ? '' : `; ${succeeded}`}`;
  }
}

export function rateOf(recent: string): number {
  return recent === '' ? 0 : successesOf(recent) / recent.length;
}

function successesOf(recent: string): number {
  return recent.replaceAll('0', '').length;
}

function percent(rate: number | null): string {
  return `${Math.round((rate ?? 0) * 100)}%`;
}

export async function evidenceOf(db: Queryable, fqdn: string): Promise<Evidence> {
  const { rows } = await db.query<Evidence>(
    'select last_used_at as "lastUsedAt", recent from capability_records where id = $1',
    [fqdn],
  );
  return rows[0] as Evidence;
}

/** Calls of a named capability that may have changed whether it is listed; what they change depends on who lists it. */
export interface EvidenceChange {
  org: string;
  project: string;
  /** The creator of a private one, in whose list alone it can be. */
  only: string | null;
  before: Evidence;
  after: Evidence;
}

/** Sends what `onEvidence` hears, for the rows of `moved`. */
export const TELL_EVIDENCE = `select pg_notify('${CHANNEL}', json_build_object('org', org, 'project', project,
    'only', case when visibility = 'private' and length(created_by) <= 1000 then created_by end,
    'before', json_build_object('lastUsedAt', was_used_at, 'recent', was_recent),
    'after', json_build_object('lastUsedAt', last_used_at, 'recent', recent))::text)
  from moved where named and (was_recent like '%0' or recent like '%0' or was_used_at < last_used_at - interval '1 day')`;

/** Hears of calls, in any process on this database, that may have changed what is listed. */
export function onEvidence(db: Db, listener: (change: EvidenceChange) => void): Promise<() => Promise<void>> {
  const hear = (payload: string) => {
    const { before, after, ...scope } = JSON.parse(payload) as EvidenceChange;
    listener({ ...scope, before: dated(before), after: dated(after) });
  };
  // What was missed shows in the next list; the feed of changes tells of the gap.
  return db.listen(CHANNEL, hear, () => {});
}

function dated({ lastUsedAt, recent }: Evidence): Evidence {
  return { lastUsedAt: new Date(lastUsedAt), recent };
}
