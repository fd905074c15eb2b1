import { measureJson } from './json-size.ts';

/** The largest parameters schema that is stored, in bytes, not counting the defaults that were lifted from the code. */
export const MAX_STORED_SCHEMA = 64 * 1024;

/** Far more than any schema of a real tool costs; spending it all takes some tens of milliseconds. */
const STEPS = 20_000;
/** Enough to expand a recursive definition of two parts, such as a binary tree, five levels deep. */
const REPEATED_PARTS = 128;
/** The length of `{"type":"object","properties":{},"required":[]}` and a comma. */
const NODE_BYTES = 48;

export interface Allowance {
  /** Units of work. */
  steps?: number;
  /** Bytes of output, as JSON. */
  bytes?: number;
  /** Schemas in the output. */
  nodes?: number;
}

/**
 * Limits what reading a stranger's schema or type may cost. It counts steps and never looks at the clock, so that the same
 * input gives the same output everywhere. A reader that runs out leaves the rest unconstrained, so that any value passes.
 */
export class Budget {
  /** Shared by all budgets that `part` makes. */
  readonly #work: { steps: number };
  #bytes: number;
  #nodes: number;
  #repeats = REPEATED_PARTS;

  constructor(allowance: Allowance = {}, work = { steps: allowance.steps ?? STEPS }) {
    this.#work = work;
    this.#bytes = allowance.bytes ?? MAX_STORED_SCHEMA;
    this.#nodes = allowance.nodes ?? Number.POSITIVE_INFINITY;
  }

  /** Makes a budget for one of several readings: it has its own limit of output and shares the steps of this one. */
  part(bytes = MAX_STORED_SCHEMA): Budget {
    return new Budget({ bytes }, this.#work);
  }

  /** Spends steps. False once they are used up. */
  step(count = 1): boolean {
    this.#work.steps -= count;
    return this.#work.steps >= 0;
  }

  /** Spends output on one schema, without its names and values. */
  node(): boolean {
    this.#nodes -= 1;
    return this.#nodes >= 0 && this.step() && this.#spend(NODE_BYTES);
  }

  /** Spends output on a value. False if there is no room for it; smaller values may still fit. */
  keep(value: unknown): boolean {
    const { bytes, visits } = measureJson(value, this.#bytes);
    return this.step(visits) && this.#spend(bytes + 1);
  }

  /** Returns whether a recursive definition of so many parts may be expanded once more within itself. */
  repeat(parts: number): boolean {
    this.#repeats -= parts;
    return this.#repeats >= 0;
  }

  #spend(bytes: number): boolean {
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}
