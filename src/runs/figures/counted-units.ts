import { setImmediate as yieldOnce } from 'node:timers/promises';
import type { Queryable } from '../../store/index.ts';

interface Scope {
  readonly org: string;
  readonly project: string;
}

export interface UnitOptions<Row extends { unit: number }, Unit> {
  /** The width of a unit of time. */
  unitMs: number;
  /** How many units are read at a time, so that no query holds up the others for long. */
  chunk: number;
  /** How many past units are kept for a scope. */
  kept: number;
  /** Counts the calls of scope $1, $2 from $3 until $4, by `unit`: the number of units since 1970. */
  sql: string;
  fold(rows: readonly Row[]): Unit;
}

/** Units that ended so long ago get no more rows: a journal stores a call within seconds. */
const SETTLED_MS = 2 * 60_000;

/**
 * Counts the journal by units of time. Past units are counted once and kept in memory: a journal of a million rows
 * takes seconds to count, and everybody else would wait for it.
 */
export class CountedUnits<Row extends { unit: number }, Unit> {
  readonly #db: Queryable;
  readonly #options: UnitOptions<Row, Unit>;
  readonly #scopes = new Map<string, Map<number, Unit>>();
  /** Past chunks that are being counted, so that two readers do not count one twice. */
  readonly #counting = new Map<string, Promise<Map<number, Unit>>>();

  constructor(db: Queryable, options: UnitOptions<Row, Unit>) {
    this.#db = db;
    this.#options = options;
  }

  /** Returns all units from one time to another, in order. */
  async read(scope: Scope, from: number, to: number): Promise<Map<number, Unit>> {
    const { unitMs, chunk } = this.#options;
    const [first, last] = [from, to].map((time) => Math.floor(time / unitMs)) as [number, number];
    const units = new Map<number, Unit>();
    for (let start = first; start <= last; start += chunk) {
      const end = Math.min(start + chunk - 1, last);
      for (const [unit, counted] of await this.#readOnce(scope, start, end)) units.set(unit, counted);
    }
    return units;
  }

  #readOnce(scope: Scope, start: number, end: number): Promise<Map<number, Unit>> {
    const isOver = (end + 1) * this.#options.unitMs < Date.now() - SETTLED_MS;
    if (!isOver) return this.#readChunk(scope, start, end);
    const key = JSON.stringify([scope.org, scope.project, start, end]);
    const counting = this.#counting.get(key) ?? this.#readChunk(scope, start, end);
    this.#counting.set(key, counting);
    return counting.finally(() => this.#counting.delete(key));
  }

  async #readChunk({ org, project }: Scope, start: number, end: number): Promise<Map<number, Unit>> {
    const { unitMs, sql, fold } = this.#options;
    const known = this.#scopeOf(org, project);
    const found = new Map<number, Unit>();
    let missing = start;
    for (; missing <= end && known.has(missing); missing += 1) found.set(missing, known.get(missing) as Unit);
    if (missing > end) return found;
    const span = [missing, end + 1].map((unit) => new Date(unit * unitMs).toISOString());
    const settledBefore = Date.now() - SETTLED_MS;
    const { rows } = await this.#db.query<Row>(sql, [org, project, ...span]);
    const byUnit = Map.groupBy(rows, ({ unit }) => unit);
    for (let unit = missing; unit <= end; unit += 1) {
      const counted = fold(byUnit.get(unit) ?? []);
      found.set(unit, counted);
      if ((unit + 1) * unitMs < settledBefore) this.#keep(known, unit, counted);
    }
    await yieldOnce();
    return found;
  }

  #scopeOf(org: string, project: string): Map<number, Unit> {
    const key = JSON.stringify([org, project]);
    const known = this.#scopes.get(key) ?? new Map<number, Unit>();
    this.#scopes.set(key, known);
    return known;
  }

  #keep(known: Map<number, Unit>, unit: number, counted: Unit): void {
    known.set(unit, counted);
    if (known.size > this.#options.kept) known.delete(Math.min(...known.keys()));
  }
}
