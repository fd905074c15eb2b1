/** The largest schema of parameters that is stored, in bytes, besides the defaults that stood in the code itself. */
export const MAX_STORED_SCHEMA = 64 * 1024;

/** Far more than any schema of a real tool costs; a reader that spends it all takes some tens of milliseconds. */
const STEPS = 20_000;
/** As many parts as a binary tree has that is expanded five deep. */
const REPEATED_PARTS = 128;
/** `{"type":"object","properties":{},"required":[]}` */
const NODE_BYTES = 48;
/** Deeper values come from nobody who means well, and JSON.stringify fails on the deepest. */
const MAX_DEPTH = 64;

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
    const { bytes, visits } = weigh(value, this.#bytes);
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

/** Whether a value, as JSON, takes no more than so many bytes, and can be written at all. */
export function fits(value: unknown, bytes: number): boolean {
  return weigh(value, bytes).bytes <= bytes;
}

/** The values inside a value, itself included, with long texts counted as several. At most `most`; so much if it is too deep. */
export function valuesIn(value: unknown, most: number): number {
  let count = 0;
  visit(value, 0);
  return Math.min(count, most);

  function visit(one: unknown, depth: number): void {
    count += typeof one === 'string' ? 1 + (one.length >> 8) : 1;
    if (typeof one !== 'object' || one === null || count > most) return;
    if (depth > MAX_DEPTH) count = Number.POSITIVE_INFINITY;
    else for (const inner of Object.values(one)) visit(inner, depth + 1);
  }
}

interface Weight {
  /** As JSON. More than was asked for means: too large, or too deep. */
  bytes: number;
  /** The work of finding that out. */
  visits: number;
}

/** Stops as soon as it knows that a value is too large. */
function weigh(value: unknown, most: number): Weight {
  const weight = { bytes: 0, visits: 0 };
  add(value, 0);
  return weight;

  function add(one: unknown, depth: number): void {
    weight.visits += 1;
    if (typeof one === 'string') addText(one);
    else if (typeof one !== 'object' || one === null) weight.bytes += String(one).length;
    else if (depth > MAX_DEPTH) weight.bytes = Number.POSITIVE_INFINITY;
    else if (Array.isArray(one)) addItems(one, depth + 1);
    else addEntries(one as Record<string, unknown>, depth + 1);
  }

  function addText(text: string): void {
    weight.visits += text.length >> 8;
    weight.bytes += text.length + 2;
    if (weight.bytes <= most) weight.bytes += Buffer.byteLength(JSON.stringify(text)) - text.length - 2;
  }

  function addItems(items: readonly unknown[], depth: number): void {
    weight.bytes += 2;
    for (const [index, item] of items.entries()) {
      if (weight.bytes > most) return;
      if (index > 0) weight.bytes += 1;
      add(item, depth);
    }
  }

  function addEntries(object: Readonly<Record<string, unknown>>, depth: number): void {
    weight.bytes += 2;
    let isFirst = true;
    for (const key of Object.keys(object)) {
      if (weight.bytes > most) return;
      // JSON has no place for it.
      if (object[key] === undefined) continue;
      weight.bytes += isFirst ? 1 : 2;
      isFirst = false;
      addText(key);
      add(object[key], depth);
    }
  }
}
