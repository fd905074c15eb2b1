import { MAX_GUEST_NESTING } from './protocol.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Returns the JSON text of a value, or undefined if it is nested too deep for a guest. */
export function textForGuest(value: unknown): string | undefined {
  let text: string;
  try {
    text = JSON.stringify(value) ?? '';
  } catch (error) {
    // V8 has no stack left for so deep a value.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return isTextTooDeep(text) ? undefined : text;
}

/** Returns whether JSON text is nested too deep. Scans the text: parsing would build a value that nobody can walk. */
export function isTextTooDeep(text: string): boolean {
  // Each level has a bracket at both ends.
  if (text.length <= 2 * MAX_GUEST_NESTING) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code < OPEN_LIST) continue;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    // The guest counts levels from 0, so its deepest level is one more here.
    else if ((code === OPEN_LIST || code === OPEN_OBJECT) && ++depth > MAX_GUEST_NESTING + 1) return true;
  }
  return false;
}

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
