import type { Principal } from '../principal.ts';
import type { Recording } from '../runs/index.ts';
import type { Queryable } from '../store/index.ts';

/** A program that was made of recurring calls, and the evidence for it. */
export interface Proposal {
  readonly id: string;
  readonly tools: readonly string[];
  readonly intent: string;
  readonly code: string;
  readonly occurrences: number;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** How the program differed from what the calls did when it was replayed; null if it could not be replayed. */
  readonly differences: readonly string[] | null;
  /** The name of the capability that it became. */
  readonly capability: string | null;
}

export interface NewProposal extends Omit<Proposal, 'id' | 'capability'> {
  readonly signature: string;
  readonly recording: Recording | undefined;
}

interface StoredProposal extends Proposal {
  readonly recording: Recording | null;
}

/** How many open proposals one principal can have. A proposal that became a capability no longer counts. */
const MAX_OPEN = 200;

const MINE = 'p.org = $1 and p.project = $2 and p.created_by = $3';
const COLUMNS = `p.id, p.tools, p.intent, p.code, p.occurrences, p.first_seen_at as "firstSeenAt",
    p.last_seen_at as "lastSeenAt", p.differences, r.display_name as capability`;
const FROM = `from call_proposals p left join capability_records r on r.id = p.capability_fqdn where ${MINE}`;

const UPSERT = `insert into call_proposals as p (org, project, created_by, signature, tools, intent, code, recording,
    occurrences, first_seen_at, last_seen_at, differences)
  select $1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12
  where exists (select 1 from call_proposals p where ${MINE} and signature = $4)
    or (select count(*) from call_proposals p where ${MINE} and capability_fqdn is null) < ${MAX_OPEN}
  on conflict (org, project, created_by, signature) do update set
    intent = excluded.intent, code = excluded.code, recording = excluded.recording, differences = excluded.differences,
    occurrences = greatest(p.occurrences, excluded.occurrences),
    first_seen_at = least(p.first_seen_at, excluded.first_seen_at), last_seen_at = excluded.last_seen_at
  returning id`;

/** Stores a proposal, or what was learned since about a known one. Undefined if the principal has too many. */
export async function storeProposal(
  db: Queryable,
  who: Principal,
  made: NewProposal,
): Promise<{ id: string } | undefined> {
  const { signature, tools, intent, code, recording, occurrences, differences } = made;
  const { rows } = await db.query<{ id: string }>(UPSERT, [
    ...[who.org, who.project, who.user, signature, tools, intent, code],
    ...[recording ? JSON.stringify(recording) : null, occurrences],
    ...[made.firstSeenAt.toISOString(), made.lastSeenAt.toISOString(), differences],
  ]);
  return rows[0];
}

/** Notes that the calls of a proposal occurred again. */
export async function countProposal(
  db: Queryable,
  who: Principal,
  { signature, occurrences, lastSeenAt }: Pick<NewProposal, 'signature' | 'occurrences' | 'lastSeenAt'>,
): Promise<void> {
  await db.query(
    `update call_proposals p set occurrences = greatest(occurrences, $5), last_seen_at = $6
     where ${MINE} and signature = $4`,
    [who.org, who.project, who.user, signature, occurrences, lastSeenAt.toISOString()],
  );
}

/** Notes which capability a proposal became. */
export async function markKept(db: Queryable, { id }: Pick<Proposal, 'id'>, fqdn: string): Promise<void> {
  await db.query('update call_proposals set capability_fqdn = $2 where id = $1', [id, fqdn]);
}

/** Lists the proposals of a principal, the most frequent first. Nobody else sees them. */
export async function listProposals(db: Queryable, who: Principal, limit = MAX_OPEN): Promise<Proposal[]> {
  const order = 'order by p.occurrences desc, p.last_seen_at desc, p.id limit $4';
  const { rows } = await db.query<Proposal>(`select ${COLUMNS} ${FROM} ${order}`, [
    who.org,
    who.project,
    who.user,
    limit,
  ]);
  return rows;
}

/** Finds a proposal of the principal, with the recording of its calls. */
export async function findProposal(
  db: Queryable,
  who: Principal,
  id: string,
): Promise<StoredProposal | undefined> {
  const parameters = [who.org, who.project, who.user, id];
  const sql = `select ${COLUMNS}, p.recording ${FROM} and p.id::text = $4`;
  const { rows } = await db.query<StoredProposal>(sql, parameters);
  return rows[0];
}
