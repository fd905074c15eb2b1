import { SqlError } from './sql-error.ts';

/** More texts than PML has; what comes after them is parsed each time it is sent. */
const MOST_NAMES = 500;
const MOST_SEEN = 1000;

/**
 * The names under which statements are kept prepared. A text earns one when it comes a second time, so that what is asked
 * once takes no room in the engine.
 */
export class StatementNames {
  readonly #seen = new Set<string>();
  readonly #names = new Map<string, string>();
  #generation = 0;

  nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= MOST_NAMES) return known;
    if (this.#seen.delete(sql)) {
      const name = `pml_${this.#generation}_${this.#names.size}`;
      this.#names.set(sql, name);
      return name;
    }
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear();
    this.#seen.add(sql);
    return undefined;
  }

  /** All get new names: the old ones stand for plans that no longer fit the schema, on every connection. */
  renew(): void {
    this.#seen.clear();
    this.#names.clear();
    this.#generation += 1;
  }
}

/** The schema was changed under a plan so that it would answer otherwise, or the session has lost it. */
export function isStale({ code, message }: { code?: string | undefined; message: string }): boolean {
  if (code === '0A000') return message.includes('cached plan');
  // No such statement; a statement of that name exists.
  return code === '26000' || code === '42P05';
}

/** Does an act again that met a stale plan. By then the statements have other names, so that it meets none again. */
export async function pastStalePlans<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SqlError && isStale(error)) return act();
    throw error;
  }
}
