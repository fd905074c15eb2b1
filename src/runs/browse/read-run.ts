import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import { readCursor, writeCursor } from '../../registry/browse/index.ts';
import { principalParameters } from '../../registry/curation/index.ts';
import type { Queryable } from '../../store/index.ts';
import { type DetailsRow, readDetails } from '../details/run-details-table.ts';
import { COLUMNS, entryOf, FROM, type JournalEntry, type JournalRecord, MAY_READ } from './read-journal.ts';

/** A call that a run made. */
export interface InnerCall {
  id: string;
  name: string;
  capability_id?: string;
  /** From the start of the run. */
  start_ms: number;
  ms: number;
  ok: boolean;
  cached: boolean;
  error?: string;
  depth: number;
}

export interface ReadRun {
  entry: JournalEntry;
  startedAt: Date;
  /** The FQDN of the capability that it ran. */
  fqdn: string | null;
  /** Undefined if they were not kept, or are of another user's run. */
  details: DetailsRow | undefined;
  calls: InnerCall[];
  callsTotal: number;
  next: string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Calls are journalled a moment before or after the run that made them. */
const SLACK_MS = 5000;
const SORT = 'start';

/** When row `u` began. */
const START = `u.called_at - u.duration_ms * interval '1 millisecond'`;

/** Reads a run or a call, with a page of the calls that it made, in the order in which they began. */
export async function readRun(
  db: Queryable,
  who: Principal,
  id: string,
  page: { limit: number; cursor?: string | undefined },
): Promise<ReadRun> {
  const row = UUID.test(id) ? await readRow(db, who, id) : undefined;
  if (!row) throw new PmlError('run_not_found', 'There is no such run, or it is no longer kept.');
  const startedAt = new Date(row.calledAt.getTime() - row.ms);
  const inner = await readCalls(db, who, { id, startedAt, endedAt: row.calledAt }, page);
  const details = await readDetails(db, who, id);
  return { entry: entryOf(row), startedAt, fqdn: row.fqdn, details, ...inner };
}

async function readRow(db: Queryable, who: Principal, id: string): Promise<JournalRecord | undefined> {
  const { rows } = await db.query<JournalRecord>(
    `select ${COLUMNS} from ${FROM} where ${MAY_READ} and u.id = $6::uuid`,
    [...principalParameters(who), who.admin === true, id],
  );
  return rows[0];
}

type CallRecord = JournalRecord & { start: string; startMs: number; depth: number };

async function readCalls(
  db: Queryable,
  who: Principal,
  run: { id: string; startedAt: Date; endedAt: Date },
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Pick<ReadRun, 'calls' | 'callsTotal' | 'next'>> {
  const span = [run.startedAt.getTime() - SLACK_MS, run.endedAt.getTime() + SLACK_MS];
  const values: unknown[] = [
    ...principalParameters(who),
    who.admin === true,
    run.id,
    ...span.map((time) => new Date(time).toISOString()),
  ];
  const where = `${MAY_READ} and u.run = $6::uuid and u.id <> $6::uuid and u.called_at between $7 and $8`;
  const counted = await db.query<{ total: number }>(
    `select count(*) as total from tool_usage u left join capability_records r on r.id = u.fqdn where ${where}`,
    values,
  );
  const callsTotal = counted.rows[0]?.total ?? 0;
  if (callsTotal === 0) return { calls: [], callsTotal, next: null };
  let after = 'true';
  if (cursor !== undefined) {
    const [start, last] = readCursor(cursor, SORT);
    after = `(${START}, u.id) > ($${values.push(start)}::timestamptz, $${values.push(last)}::uuid)`;
  }
  const { rows } = await db.query<CallRecord>(
    `select ${COLUMNS}, (${START})::text as "start", u.depth,
       extract(epoch from (${START}) - $${values.push(run.startedAt.toISOString())}::timestamptz) * 1000 as "startMs"
     from ${FROM} where ${where} and ${after} order by ${START}, u.id limit $${values.push(limit + 1)}`,
    values,
    { prepare: false },
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    calls: shown.map(innerCall),
    callsTotal,
    next: rows.length > limit && last ? writeCursor(SORT, [last.start, last.id]) : null,
  };
}

function innerCall(row: CallRecord): InnerCall {
  const { id, name, capability_id, ms, ok, cached, error } = entryOf(row);
  return {
    ...{ id, name, ms, ok, cached, depth: row.depth },
    start_ms: Math.max(0, Math.round(Number(row.startMs) * 100) / 100),
    ...(capability_id !== undefined && { capability_id }),
    ...(error !== undefined && { error }),
  };
}
