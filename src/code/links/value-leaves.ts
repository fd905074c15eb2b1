import type { Budget } from '../../budget.ts';
import { isJsonObject, type Json } from '../../json.ts';

export type Scalar = string | number | boolean | null;

export interface Leaf {
  /** The keys and indexes that lead to it. */
  readonly path: readonly (string | number)[];
  readonly value: Scalar;
}

/** Deeper data is only meant to exhaust the stack. */
const MAX_DEPTH = 24;

/** Lists the scalars inside of a value, in order. Undefined if they are more than the budget allows, or too deep. */
export function leavesOf(value: Json | undefined, budget: Budget): Leaf[] | undefined {
  const leaves: Leaf[] = [];
  return value === undefined || visit(value, []) ? leaves : undefined;

  function visit(one: Json, path: readonly (string | number)[]): boolean {
    if (typeof one !== 'object' || one === null) {
      leaves.push({ path, value: one });
      return budget.step(typeof one === 'string' ? 1 + (one.length >> 8) : 1);
    }
    if (path.length >= MAX_DEPTH || !budget.step()) return false;
    if (!isJsonObject(one)) return one.every((item, index) => visit(item, [...path, index]));
    return Object.entries(one).every(([key, inner]) => inner === undefined || visit(inner, [...path, key]));
  }
}
