/** Deeper values overflow the stack of whoever writes them as JSON: V8 fails from a few thousand levels on. */
export const MAX_JSON_NESTING = 1000;
/** Deeper schemas come from nobody who means well. */
const MAX_SCHEMA_NESTING = 64;

/** Whether JSON data is nested deeper than anyone can be sent. Stops at the first branch that is. */
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

/** The size of data as JSON text, or Infinity if that is over the limit. Takes no more time than the limit allows. */
export function jsonBytes(value: unknown, limit: number): number {
  const { bytes } = measureJson(value, limit, MAX_JSON_NESTING);
  return bytes <= limit ? bytes : Infinity;
}

/** Whether a value, as JSON, takes no more than so many bytes, and can be written at all. */
export function jsonFits(value: unknown, bytes: number): boolean {
  return measureJson(value, bytes).bytes <= bytes;
}

/** The values inside a value, itself included, with long texts counted as several. At most `most`; so much if it is too deep. */
export function countValues(value: unknown, most: number): number {
  let count = 0;
  visit(value, 0);
  return Math.min(count, most);

  function visit(one: unknown, depth: number): void {
    count += typeof one === 'string' ? 1 + (one.length >> 8) : 1;
    if (typeof one !== 'object' || one === null || count > most) return;
    if (depth > MAX_SCHEMA_NESTING) count = Number.POSITIVE_INFINITY;
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
export function measureJson(value: unknown, most: number, levels = MAX_SCHEMA_NESTING): Weight {
  const weight = { bytes: 0, visits: 0 };
  add(value, 0);
  return weight;

  function add(one: unknown, depth: number): void {
    weight.visits += 1;
    if (typeof one === 'string') addText(one);
    else if (typeof one !== 'object' || one === null) weight.bytes += String(one).length;
    else if (depth > levels) weight.bytes = Number.POSITIVE_INFINITY;
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
      const inner = object[key];
      // JSON has no place for it.
      if (inner === undefined) continue;
      weight.bytes += isFirst ? 1 : 2;
      isFirst = false;
      addText(key);
      add(inner, depth);
    }
  }
}

/** The text, or as much of it as is allowed and a sign that there was more. */
export function cutText(text: string, most: number): string {
  return text.length > most
    ? `${text.slice(0, most).toWellFormed()}… (${text.length - most} characters left out)`
    : text;
}
