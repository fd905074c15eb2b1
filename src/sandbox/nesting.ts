import { MAX_NESTING } from './protocol.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** The JSON text of a value; undefined if it is nested deeper than what crosses may be. */
export function textWithin(value: unknown): string | undefined {
  let text: string;
  try {
    text = JSON.stringify(value) ?? '';
  } catch (error) {
    // V8 has no stack left for so deep a value.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return isTooDeep(text) ? undefined : text;
}

/** Whether JSON text is nested deeper than may be. Reads it once: parsing would build what nobody can walk. */
export function isTooDeep(text: string): boolean {
  // Each level has a bracket at both ends.
  if (text.length <= 2 * MAX_NESTING) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code < OPEN_LIST) continue;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    // The guest counts from 0, so that its deepest level is one more.
    else if ((code === OPEN_LIST || code === OPEN_OBJECT) && ++depth > MAX_NESTING + 1) return true;
  }
  return false;
}

/** Where the string that begins here ends. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
