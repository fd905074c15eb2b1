import { measureJson } from './measure.ts';

/** The largest schema of parameters that is stored, in bytes, besides the defaults that stood in the code itself. */
export const MAX_STORED_SCHEMA = 64 * 1024;

/** Far more than any schema of a real tool costs; a reader that spends it all takes some tens of milliseconds. */
const STEPS = 20_000;
/** As many parts as a binary tree has that is expanded five deep. */
const REPEATED_PARTS = 128;
/** `{"type":"object","properties":{},"required":[]}` */
const NODE_BYTES = 48;
export interface Allowance {
  /** Of work. */
  steps?: number;
  /** Of output, as JSON. */
  bytes?: number;
  /** Schemas within the output. */
  nodes?: number;
}

/**
 * What reading a stranger's schema or type may cost. It counts and never looks at the clock, so that the same input gives
 * the same output everywhere. A reader that has spent it says nothing of the rest, which lets any value pass.
 */
export class Budget {
  /** Shared by all parts. */
  readonly #work: { steps: number };
  #bytes: number;
  #nodes: number;
  #repeats = REPEATED_PARTS;

  constructor(allowance: Allowance = {}, work = { steps: allowance.steps ?? STEPS }) {
    this.#work = work;
    this.#bytes = allowance.bytes ?? MAX_STORED_SCHEMA;
    this.#nodes = allowance.nodes ?? Number.POSITIVE_INFINITY;
  }

  /** A budget for one of several readings: its output has a bound of its own, its work is paid from here. */
  part(bytes = MAX_STORED_SCHEMA): Budget {
    return new Budget({ bytes }, this.#work);
  }

  /** Pays for work. False from when it is used up. */
  step(count = 1): boolean {
    this.#work.steps -= count;
    return this.#work.steps >= 0;
  }

  /** Pays for one schema of the output, without its names and values. */
  node(): boolean {
    this.#nodes -= 1;
    return this.#nodes >= 0 && this.step() && this.#spend(NODE_BYTES);
  }

  /** Pays for a value as it is in the output. False if there is no room for it; smaller ones may still fit. */
  keep(value: unknown): boolean {
    const { bytes, visits } = measureJson(value, this.#bytes);
    return this.step(visits) && this.#spend(bytes + 1);
  }

  /** Whether a definition of so many parts may be expanded once more within itself. */
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
