import { SqlError } from './sql-error.ts';

/** More than PML has statements; those beyond it are parsed each time. */
const MAX_NAMES = 500;
const MAX_SEEN_ONCE = 1000;

/**
 * Names the statements that are kept prepared. A statement gets a name when it comes a second time, so that one-time
 * statements take no room in the engine.
 */
export class StatementNames {
  readonly #seenOnce = new Set<string>();
  readonly #names = new Map<string, string>();
  #generation = 0;

  nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= MAX_NAMES) return known;
    if (this.#seenOnce.delete(sql)) {
      const name = `pml_${this.#generation}_${this.#names.size}`;
      this.#names.set(sql, name);
      return name;
    }
    if (this.#seenOnce.size >= MAX_SEEN_ONCE) this.#seenOnce.clear();
    this.#seenOnce.add(sql);
    return undefined;
  }

  /** Gives all statements new names: the old plans no longer fit the schema, on any connection. */
  renew(): void {
    this.#seenOnce.clear();
    this.#names.clear();
    this.#generation += 1;
  }
}

/** The schema has changed so that a prepared plan no longer fits, or the session has lost the plan. */
export function isStalePlanError({ code, message }: { code?: string | undefined; message: string }): boolean {
  if (code === '0A000') return message.includes('cached plan');
  // 26000: no such statement. 42P05: a statement of that name exists.
  return code === '26000' || code === '42P05';
}

/** Retries once after a stale plan; the statements have new names by then. */
export async function retryOnStalePlan<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SqlError && isStalePlanError(error)) return act();
    throw error;
  }
}
