import type { Principal } from '../../principal.ts';
import { readCursor, writeCursor } from '../../registry/browse/index.ts';
import { MAY_SEE, principalParameters } from '../../registry/curation/index.ts';
import { OWN_SERVER } from '../../registry/usage/index.ts';
import type { Queryable } from '../../store/index.ts';

/** A call or run as a list of the journal shows it. */
export interface JournalEntry {
  id: string;
  /** When it ended. */
  at: string;
  kind: 'call' | 'run' | 'capability';
  name: string;
  server: string;
  tool: string;
  capability_id?: string;
  /** The run that it belongs to. */
  run?: string;
  user: string;
  agent?: string;
  ok: boolean;
  ms: number;
  cached: boolean;
  error?: string;
}

export interface JournalFilter {
  server?: string | undefined;
  tool?: string | undefined;
  /** The FQDN of a capability. */
  fqdn?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
  outcome?: 'ok' | 'failed' | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  kind?: 'run' | 'call' | undefined;
}

/** The server under which runs of code that became no capability are journalled. */
const CODE_SERVER = 'pml';
/** How many rows one query scans for those that fit, and how many queries one page takes at most. */
const SCANNED = 20_000;
const MAX_SCANS = 5;
const SORT = 'newest';

export interface JournalRecord {
  id: string;
  key: string;
  calledAt: Date;
  details: 'run' | 'capability' | null;
  display: string | null;
  uid: string | null;
  fqdn: string | null;
  server: string;
  tool: string;
  run: string | null;
  user: string;
  agent: string | null;
  ok: boolean;
  ms: number;
  cached: boolean;
  error: string | null;
}

export const COLUMNS = `u.id::text, u.called_at::text as "key", u.called_at as "calledAt", d.kind as details,
  r.display_name as display, r.uid::text as uid, u.fqdn, u.server_id as server, u.tool, u.run::text, u.user_id as "user", u.agent,
  u.success as ok, u.duration_ms as ms, u.cached, u.error`;
export const FROM = `tool_usage u left join capability_records r on r.id = u.fqdn left join run_details d on d.id = u.id`;

/** Condition that a principal may read row `u`: its own calls, or all of the scope for an admin; $5 tells which it is. */
export const MAY_READ = `u.org = $1 and u.project = $2 and (u.user_id = $3 or $5) and (u.fqdn is null or ${MAY_SEE})`;

/** Lists one page of the journal, newest first. A page may be short and yet not the last: it scans a part at a time. */
export async function readJournal(
  db: Queryable,
  who: Principal,
  filter: JournalFilter,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ items: JournalEntry[]; next: string | null }> {
  const items: JournalRecord[] = [];
  let from = cursor === undefined ? undefined : readCursor(cursor, SORT);
  for (let scan = 0; scan < MAX_SCANS; scan += 1) {
    const until = isIndexed(filter) ? undefined : await scanEnd(db, who, filter, from);
    items.push(...(await readSpan(db, who, filter, { from, until, limit: limit + 1 - items.length })));
    if (items.length > limit || until === undefined) {
      from = undefined;
      break;
    }
    from = until;
  }
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  const place = items.length > limit && last ? ([last.key, last.id] as const) : from;
  return { items: shown.map(entryOf), next: place ? writeCursor(SORT, place) : null };
}

type Place = readonly [key: string, id: string];

/** An index finds the rows of a capability, or of a span of time without other conditions. */
function isIndexed({ fqdn, server, tool, user, agent, outcome, kind }: JournalFilter): boolean {
  return fqdn !== undefined || [server, tool, user, agent, outcome, kind].every((one) => one === undefined);
}

/** Finds the row at which a scan ends; undefined if it reaches the end of the journal. */
async function scanEnd(
  db: Queryable,
  { org, project }: Principal,
  { since, until }: JournalFilter,
  from: Place | undefined,
): Promise<Place | undefined> {
  const values: unknown[] = [org, project];
  const where = [
    'u.org = $1 and u.project = $2',
    ...spanOf({ since, until }, values),
    ...(from ? [beforeSql(from, values)] : []),
  ];
  const { rows } = await db.query<{ key: string; id: string }>(
    `select u.called_at::text as key, u.id::text as id from tool_usage u where ${where.join(' and ')}
     order by u.called_at desc, u.id desc offset ${SCANNED} limit 1`,
    values,
    { prepare: false },
  );
  return rows[0] && [rows[0].key, rows[0].id];
}

async function readSpan(
  db: Queryable,
  who: Principal,
  filter: JournalFilter,
  span: { from: Place | undefined; until: Place | undefined; limit: number },
): Promise<JournalRecord[]> {
  const values: unknown[] = [...principalParameters(who), who.admin === true];
  const where = [MAY_READ, ...conditionsOf(filter, values), ...spanOf(filter, values)];
  if (span.from) where.push(beforeSql(span.from, values));
  if (span.until)
    where.push(
      `(u.called_at, u.id) >= ($${values.push(span.until[0])}::timestamptz, $${values.push(span.until[1])}::uuid)`,
    );
  const { rows } = await db.query<JournalRecord>(
    `select ${COLUMNS} from ${FROM} where ${where.join(' and ')}
     order by u.called_at desc, u.id desc limit $${values.push(span.limit)}`,
    values,
    { prepare: false },
  );
  return rows;
}

/** The first condition is the one that an index can use. */
function beforeSql([key, id]: Place, values: unknown[]): string {
  const [at, last] = [values.push(key), values.push(id)];
  return `u.called_at <= $${at}::timestamptz and (u.called_at, u.id) < ($${at}::timestamptz, $${last}::uuid)`;
}

function spanOf({ since, until }: Pick<JournalFilter, 'since' | 'until'>, values: unknown[]): string[] {
  return [
    ...(since ? [`u.called_at >= $${values.push(since.toISOString())}::timestamptz`] : []),
    ...(until ? [`u.called_at <= $${values.push(until.toISOString())}::timestamptz`] : []),
  ];
}

function conditionsOf(filter: JournalFilter, values: unknown[]): string[] {
  const { server, tool, fqdn, user, agent, outcome, kind } = filter;
  const where: string[] = [];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) where.push(`${condition} $${values.push(value)}`);
  };
  // Most calls of PML's own tools cause others that are listed.
  if (server === undefined) where.push(`u.server_id <> '${OWN_SERVER}'`);
  add('u.server_id =', server);
  add('u.tool =', tool);
  add('u.fqdn =', fqdn);
  add('u.user_id =', user);
  add('u.agent =', agent);
  if (outcome) where.push(outcome === 'ok' ? 'u.success' : 'not u.success');
  const isRun = `(u.run = u.id or (u.run is null and (u.fqdn is not null or u.server_id = '${CODE_SERVER}')))`;
  if (kind === 'run') where.push(isRun);
  if (kind === 'call') where.push(`u.fqdn is null and u.server_id <> '${CODE_SERVER}'`);
  return where;
}

export function entryOf(row: JournalRecord): JournalEntry {
  const kind =
    row.details ?? (row.fqdn !== null ? 'capability' : row.server === CODE_SERVER ? 'run' : 'call');
  return {
    id: row.id,
    at: row.calledAt.toISOString(),
    kind,
    name: row.display ?? (kind === 'call' ? `${row.server}:${row.tool}` : row.tool),
    server: row.server,
    tool: row.tool,
    ...(row.uid !== null && { capability_id: row.uid }),
    ...(row.run !== null && row.run !== row.id && { run: row.run }),
    user: row.user,
    ...(row.agent !== null && { agent: row.agent }),
    ok: row.ok,
    ms: Math.round(row.ms * 100) / 100,
    cached: row.cached,
    ...(row.error !== null && { error: row.error }),
  };
}
