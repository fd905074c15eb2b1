/** V8's message for a mistake depends on how the expression was written, so all such messages are shown alike. */
const ENGINE_MESSAGE =
  /Cannot (?:read|set|destructure|convert|delete|assign)|is not (?:a function|iterable|a constructor|defined|extensible|async iterable)|before initialization|Assignment to constant|could not be cloned|object null is not|Invalid (?:time|array)|undefined is not|Reduce of empty/;
const ENGINE_ERRORS = new Set(['TypeError', 'ReferenceError', 'RangeError', 'DataCloneError']);

/** Prints a value so that equal data is equal text: keys sorted, undefined properties left out as on the wire. */
export function showValue(value: unknown): string {
  return show(value, []);
}

function show(value: unknown, around: readonly object[]): string {
  if (typeof value === 'string') return JSON.stringify(ENGINE_MESSAGE.test(value) ? '<mistake>' : value);
  if (typeof value === 'function') return '<function>';
  if (value === null || typeof value !== 'object') return Object.is(value, -0) ? '-0' : String(value);
  if (around.includes(value)) return '<cycle>';
  const inside = [...around, value];
  if (value instanceof Error) {
    const isEngine = ENGINE_ERRORS.has(value.name) && ENGINE_MESSAGE.test(value.message);
    return isEngine ? '<mistake>' : `${value.name}(${show(value.message, inside)})`;
  }
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof Map || value instanceof Set)
    return `${value.constructor.name}(${show([...value], inside)})`;
  if (value instanceof Promise) return '<promise>';
  if (Array.isArray(value)) return `[${value.map((item) => show(item, inside)).join(',')}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${show(field, inside)}`);
  return `{${fields.join(',')}}`;
}
