import type { RawResult, SqlText } from '../value-conversion.ts';

const IDLE_MS = 1000;
const WRITING_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE']);
/** Statistics are gathered again when this many rows, and this share of all rows, have changed. */
const MIN_CHANGED_ROWS = 200;
const CHANGED_SHARE = 0.1;

const TABLES = `select format('%I.%I', n.nspname, c.relname), greatest(c.reltuples, 0)::bigint
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`;

export interface IdleSession {
  /** Runs a statement after all earlier requests. Fails while a transaction is open. */
  run(sql: string): Promise<RawResult>;
}

/**
 * Gathers statistics, as autovacuum does on a server: without them the planner chooses bad indexes. It analyses one table
 * at a time when the database has been idle for a while, since requests have to wait for it.
 */
export class Analyzer {
  readonly #session: IdleSession;
  readonly #idleMs: number;
  #changedRows = 0;
  #dueAt = MIN_CHANGED_ROWS;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: IdleSession, idleMs = IDLE_MS) {
    this.#session = session;
    this.#idleMs = idleMs;
  }

  /** Counts the rows that a statement changed. */
  note({ command, rowCount }: RawResult): void {
    if (WRITING_COMMANDS.has(command)) this.#changedRows += rowCount;
    if (this.#changedRows < this.#dueAt) return;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => void this.#analyze(), this.#idleMs).unref();
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
