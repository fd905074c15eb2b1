/** Deeper values overflow the stack of whoever writes them as JSON: V8 fails from a few thousand levels on. */
export const MAX_NESTING = 1000;

/** Whether JSON data is nested deeper than anyone can be sent. Stops at the first branch that is. */
export function isTooDeep(value: unknown, levels = MAX_NESTING): boolean {
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
  if (charactersOf(value, limit, MAX_NESTING) > limit) return Infinity;
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return bytes <= limit ? bytes : Infinity;
}

/** At most as many characters as the JSON text has, and more than the limit if that is passed on the way. */
function charactersOf(value: unknown, limit: number, levels: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  if (levels === 0) return Infinity;
  let count = 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && count <= limit; i++)
      count += charactersOf(value[i], limit - count, levels - 1);
    return count;
  }
  for (const key in value) {
    const one = (value as Record<string, unknown>)[key];
    // JSON leaves out what it cannot hold.
    if (one === undefined) continue;
    count += key.length + 3 + charactersOf(one, limit - count, levels - 1);
    if (count > limit) break;
  }
  return count;
}

/** The text, or as much of it as is allowed and a sign that there was more. */
export function cutText(text: string, most: number): string {
  return text.length > most
    ? `${text.slice(0, most).toWellFormed()}… (${text.length - most} characters left out)`
    : text;
}
