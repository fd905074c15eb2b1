import type { RawResult, SqlText } from '../value-conversion.ts';

const IDLE_MS = 1000;
const WRITING_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE']);
/** Statistics are gathered again when this many rows, and this share of all rows, have changed. */
const MIN_CHANGED_ROWS = 200;
const CHANGED_SHARE = 0.1;

const TABLES = `select format('%I.%I', n.nspname, c.relname), greatest(c.reltuples, 0)::bigint
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`;

/** A database that is never idle looks for tables that have grown each time this many rows have changed. */
const LOOK_EVERY_ROWS = 1000;
/** Tables, except very small ones, that are twice as large as when they were analysed. */
const GROWN = `select format('%I.%I', n.nspname, c.relname)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
    and pg_relation_size(c.oid) > 2 * 8192 * greatest(c.relpages, 1)`;
/** Less than half of the usual sample: requests wait for it. */
const SMALL_SAMPLE = 'set default_statistics_target = 10';
const USUAL_SAMPLE = 'reset default_statistics_target';

export interface IdleSession {
  /** Runs a statement after all earlier requests. Fails while a transaction is open. */
  run(sql: string): Promise<RawResult>;
}

/**
 * Gathers statistics, as autovacuum does on a server: without them the planner chooses bad indexes. It analyses one table
 * at a time when the database has been idle for a while, since requests have to wait for it. Where the database is never
 * idle, it analyses tables that have doubled, from a small sample and one at a time between two requests.
 */
export class Analyzer {
  readonly #session: IdleSession;
  readonly #idleMs: number;
  #changedRows = 0;
  #dueAt = MIN_CHANGED_ROWS;
  #timer: NodeJS.Timeout | undefined;
  #sinceLook = 0;
  #grown: string[] = [];

  constructor(session: IdleSession, idleMs = IDLE_MS) {
    this.#session = session;
    this.#idleMs = idleMs;
  }

  /** Counts the rows that a statement changed. */
  note({ command, rowCount }: RawResult): void {
    if (WRITING_COMMANDS.has(command)) {
      this.#changedRows += rowCount;
      this.#sinceLook += rowCount;
    }
    if (this.#changedRows < this.#dueAt) return;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => void this.#analyze(), this.#idleMs).unref();
  }

  /** True if a pause between two requests, outside any transaction, should be used. */
  get isOverdue(): boolean {
    return this.#grown.length > 0 || this.#sinceLook >= LOOK_EVERY_ROWS;
  }

  /** Analyses one table that has grown, or looks which ones have. */
  async usePause(run: IdleSession['run']): Promise<void> {
    const table = this.#grown.pop();
    try {
      if (table === undefined) {
        this.#sinceLook = 0;
        this.#grown = (await run(GROWN)).rows.map(([name]) => name as string);
        return;
      }
      await run(SMALL_SAMPLE);
      await run(`analyze ${table}`).finally(() => run(USUAL_SAMPLE));
    } catch {
      // The table was dropped.
    }
  }

  async #analyze(): Promise<void> {
    this.#timer = undefined;
    try {
      const before = await this.#session.run(TABLES);
      this.#changedRows = 0;
      for (const [table] of before.rows) await this.#session.run(`analyze ${table}`);
      this.#dueAt = Math.max(
        MIN_CHANGED_ROWS,
        CHANGED_SHARE * rowsIn((await this.#session.run(TABLES)).rows),
      );
    } catch {
      // A table was dropped, or a transaction began: the next change tries again.
    }
  }
}

function rowsIn(tables: SqlText[][]): number {
  return tables.reduce((sum, [, rows]) => sum + Number(rows), 0);
}
