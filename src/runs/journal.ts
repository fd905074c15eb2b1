import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import { TELL_EVIDENCE, WINDOW } from '../registry/index.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { MAX_TEXT, storedText } from '../texts.ts';
import { rowId } from './row-id.ts';
import { Spool } from './spool.ts';

/** One call, as `tool_usage` keeps it. */
export interface Usage {
  server: string;
  tool: string;
  /** Of a capability: its own record counts the call too. */
  fqdn?: string | undefined;
  who: Principal;
  success: boolean;
  durationMs: number;
  error?: string | undefined;
  /** Knows what is secret in the error besides what looks so. */
  redactor?: Redactor | undefined;
  /** It failed because of who called it, or how: that is no evidence against what was called. */
  byCaller?: boolean;
}

interface UsageRow {
  id: string;
  server_id: string;
  tool: string;
  fqdn: string | null;
  org: string;
  project: string;
  user_id: string;
  agent: string | null;
  success: boolean;
  duration_ms: number;
  called_at: string;
  error: string | null;
  by_caller: boolean;
}

const FLUSH_MS = 200;
const BATCH = 1000;
const RETRY_MS = 2000;

/** A list is its scope's: what fails for others elsewhere, or because of them, takes nothing from it. */
const IS_EVIDENCE = `(g.by_caller is not true and starts_with(g.fqdn, g.org || '.' || g.project || '.'))`;

/** The counters of a capability move together with the rows they count, so that neither is counted twice. */
const INSERT = `with given as materialized (
    select * from rows from (jsonb_to_recordset($1::jsonb) as (id uuid, server_id text, tool text, fqdn text, org text,
      project text, user_id text, agent text, success boolean, duration_ms double precision, called_at timestamptz,
      error text, by_caller boolean)) with ordinality as r(id, server_id, tool, fqdn, org, project, user_id, agent,
      success, duration_ms, called_at, error, by_caller, nth)
  ), stored as (
    insert into tool_usage
      (id, server_id, tool, fqdn, org, project, user_id, agent, success, duration_ms, called_at, error)
    select id, server_id, tool, fqdn, org, project, user_id, agent, success, duration_ms, called_at, error from given
    on conflict (id) do nothing
    returning id
  ), counted as (
    select g.fqdn, count(*) as calls, count(*) filter (where g.success) as successes, sum(g.duration_ms) as ms,
      max(g.called_at) as last, coalesce(string_agg(case when g.success then '1' else '0' end, '' order by g.nth)
        filter (where g.success or ${IS_EVIDENCE}), '') as outcomes
    from stored s join given g on g.id = s.id where g.fqdn is not null group by g.fqdn
  ), before as (
    -- In one order, so that two processes that count the same capabilities do not wait for each other.
    select r.id, r.last_used_at, r.recent from capability_records r
    where r.id in (select fqdn from counted) order by r.id for no key update
  ), moved as (
    update capability_records r
    set usage_count = r.usage_count + c.calls, success_count = r.success_count + c.successes,
      total_latency_ms = r.total_latency_ms + c.ms, last_used_at = greatest(r.last_used_at, c.last),
      recent = right(r.recent || c.outcomes, ${WINDOW})
    from counted c join before b on b.id = c.fqdn where r.id = c.fqdn
    returning r.org, r.project, r.visibility, r.created_by, r.named, r.last_used_at, r.recent, b.last_used_at as was_used_at, b.recent as was_recent
  )
  ${TELL_EVIDENCE}`;

/**
 * Every call, written to the store in batches off the call's path. Until a batch is stored it is also in a spool file, so
 * that a process killed at any moment loses no row: the next one stores what it finds there. The row's id makes storing
 * it twice harmless.
 */
export class Journal {
  readonly #db: Db;
  readonly #log: Log;
  readonly #spool: Spool;
  readonly #listeners = new Set<(usage: Usage) => void>();
  #waiting: UsageRow[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Why the last batch could not be stored. */
  #problem: string | undefined;

  private constructor(db: Db, log: Log, spool: Spool) {
    this.#db = db;
    this.#log = log;
    this.#spool = spool;
  }

  static async open(db: Db, spoolFile: string, log: Log): Promise<Journal> {
    const spool = new Spool(spoolFile);
    const journal = new Journal(db, log, spool);
    journal.#waiting = spool.left as UsageRow[];
    if (journal.#waiting.length > 0)
      log.info(`storing ${journal.#waiting.length} calls of a process that was killed`);
    await journal.flush();
    return journal;
  }

  /** Calls that are not in the store yet. */
  get backlog(): number {
    return this.#waiting.length;
  }

  /** Hears every call as it is recorded. Returns the way to stop. */
  on(listener: (usage: Usage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  record(usage: Usage): void {
    for (const listener of this.#listeners) listener(usage);
    const row: UsageRow = {
      id: rowId(),
      server_id: usage.server,
      tool: storable(usage.tool).slice(0, MAX_TEXT.tool),
      fqdn: usage.fqdn ?? null,
      org: usage.who.org,
      project: usage.who.project,
      user_id: usage.who.user,
      agent: usage.who.agent ?? null,
      success: usage.success,
      duration_ms: usage.durationMs,
      called_at: new Date().toISOString(),
      // Failures quote what code and tools were given.
      error: usage.error === undefined ? null : storedText('error', usage.error, usage.redactor),
      by_caller: usage.byCaller ?? false,
    };
    this.#spool.append(row);
    this.#waiting.push(row);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Stores all that was recorded before this call. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#store());
    return this.#flushing;
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
    this.#spool.close();
    if (this.backlog > 0) {
      this.#log.error(
        `${this.backlog} calls could not be stored. The next start stores those that the disk had room to note.`,
      );
    }
  }

  async #store(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      try {
        await this.#db.query(INSERT, [JSON.stringify(batch)]);
      } catch (error) {
        this.#stumble(messageOf(error));
        return;
      }
      this.#waiting.splice(0, batch.length);
    }
    this.#spool.reset();
    if (this.#problem) this.#log.info('calls are journalled again');
    this.#problem = undefined;
  }

  /** Tries again later, and not with each new call; says so once, for the disk may be full. */
  #stumble(problem: string): void {
    if (this.#problem !== problem) this.#log.error(`calls could not be journalled, trying again: ${problem}`);
    this.#problem = problem;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), RETRY_MS);
  }
}

/** What PostgreSQL's text cannot hold must not stop the rows around it. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
