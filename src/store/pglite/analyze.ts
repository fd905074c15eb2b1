import type { RawResult, Text } from '../values.ts';

const QUIET_MS = 1000;
const CHANGES_WRITTEN = new Set(['INSERT', 'UPDATE', 'DELETE']);
/** Statistics are made anew when this many rows were changed, and a tenth of those there are. */
const FEW = 200;
const SHARE = 0.1;

const TABLES = `select format('%I.%I', n.nspname, c.relname), greatest(c.reltuples, 0)::bigint
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`;

export interface Quiet {
  /** Runs a statement when all that was asked before is answered. Fails while a transaction is open. */
  run(sql: string): Promise<RawResult>;
}

/**
 * What autovacuum does for a server: without statistics a planner takes any index that fits a little. One table at a time,
 * when nobody has asked for anything for a while, since whoever asks has to wait for it.
 */
export class Analyzer {
  readonly #engine: Quiet;
  readonly #quietMs: number;
  #changed = 0;
  #due = FEW;
  #timer: NodeJS.Timeout | undefined;

  constructor(engine: Quiet, quietMs = QUIET_MS) {
    this.#engine = engine;
    this.#quietMs = quietMs;
  }

  /** Hears what every statement did. */
  note({ command, rowCount }: RawResult): void {
    if (CHANGES_WRITTEN.has(command)) this.#changed += rowCount;
    if (this.#changed < this.#due) return;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => void this.#analyze(), this.#quietMs).unref();
  }

  async #analyze(): Promise<void> {
    this.#timer = undefined;
    try {
      const before = await this.#engine.run(TABLES);
      this.#changed = 0;
      for (const [table] of before.rows) await this.#engine.run(`analyze ${table}`);
      this.#due = Math.max(FEW, SHARE * rowsIn((await this.#engine.run(TABLES)).rows));
    } catch {
      // A table that is gone, or a transaction that began meanwhile: the next change tries again.
    }
  }
}

function rowsIn(tables: Text[][]): number {
  return tables.reduce((sum, [, rows]) => sum + Number(rows), 0);
}
