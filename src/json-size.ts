/**
 * The deepest JSON data that PML sends, in levels. Data of a few thousand levels overflows the stack of JSON.stringify.
 * Guest code has a lower limit of its own (sandbox/protocol.ts).
 */
export const MAX_JSON_NESTING = 1000;
/** Schemas of real tools are far less deep. */
const MAX_SCHEMA_NESTING = 64;

/** True if JSON data is nested too deeply to be sent. Stops at the first branch that is. */
export function isTooDeep(value: unknown, levels = MAX_JSON_NESTING): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const one of value) if (typeof one === 'object' && isTooDeep(one, levels - 1)) return true;
    return false;
  }
  for (const key in value) {
    const one = (value as Record<string, unknown>)[key];
    if (typeof one === 'object' && isTooDeep(one, levels - 1)) return true;
  }
  return false;
}

/** Returns the size of data as JSON text, or Infinity above the limit. The time it takes is bounded by the limit. */
export function jsonBytes(value: unknown, limit: number): number {
  const { bytes } = measureJson(value, limit, MAX_JSON_NESTING);
  return bytes <= limit ? bytes : Infinity;
}

/** True if a value takes at most `bytes` bytes as JSON, and is nested no deeper than a schema may be. */
export function jsonFits(value: unknown, bytes: number): boolean {
  return measureJson(value, bytes).bytes <= bytes;
}

/** Counts the values in a value, itself included; long texts count as several. At most `max`, as for data too deep. */
export function countValues(value: unknown, max: number): number {
  let count = 0;
  visit(value, 0);
  return Math.min(count, max);

  function visit(one: unknown, depth: number): void {
    count += typeof one === 'string' ? 1 + (one.length >> 8) : 1;
    if (typeof one !== 'object' || one === null || count > max) return;
    if (depth > MAX_SCHEMA_NESTING) count = Number.POSITIVE_INFINITY;
    else for (const inner of Object.values(one)) visit(inner, depth + 1);
  }
}

interface Measurement {
  /** The size as JSON. More than `max` means that the value is too large or too deep. */
  bytes: number;
  /** The work that measuring took. */
  visits: number;
}

/** Measures a value as JSON. Stops as soon as the value is known to be larger than `max`. */
export function measureJson(value: unknown, max: number, levels = MAX_SCHEMA_NESTING): Measurement {
  const total = { bytes: 0, visits: 0 };
  add(value, 0);
  return total;

  function add(one: unknown, depth: number): void {
    total.visits += 1;
    if (typeof one === 'string') addText(one);
    else if (typeof one !== 'object' || one === null) total.bytes += String(one).length;
    else if (depth > levels) total.bytes = Number.POSITIVE_INFINITY;
    else if (Array.isArray(one)) addItems(one, depth + 1);
    else addEntries(one as Record<string, unknown>, depth + 1);
  }

  function addText(text: string): void {
    total.visits += text.length >> 8;
    total.bytes += text.length + 2;
    if (total.bytes <= max) total.bytes += Buffer.byteLength(JSON.stringify(text)) - text.length - 2;
  }

  function addItems(items: readonly unknown[], depth: number): void {
    total.bytes += 2;
    for (const [index, item] of items.entries()) {
      if (total.bytes > max) return;
      if (index > 0) total.bytes += 1;
      add(item, depth);
    }
  }

  function addEntries(object: Readonly<Record<string, unknown>>, depth: number): void {
    total.bytes += 2;
    let isFirst = true;
    for (const key of Object.keys(object)) {
      if (total.bytes > max) return;
      const inner = object[key];
      // JSON omits undefined properties.
      if (inner === undefined) continue;
      total.bytes += isFirst ? 1 : 2;
      isFirst = false;
      addText(key);
      add(inner, depth);
    }
  }
}

/** Keeps the first `max` characters of a text, and appends how many were left out. */
export function cutText(text: string, max: number): string {
  return text.length > max
    ? `${text.slice(0, max).toWellFormed()}… (${text.length - max} characters left out)`
    : text;
}
