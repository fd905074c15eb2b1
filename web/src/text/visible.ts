/**
 * Names, descriptions, results and logs come from servers, agents and models. Control characters can hide a part of a text,
 * and overrides of the writing direction can make it read as another one, so both are shown as what they are.
 */
const HIDDEN =
  /\r\n|(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Returns the text with every character shown that would otherwise be hidden or reorder others. */
export function visible(text: string): string {
  HIDDEN.lastIndex = 0;
  const shown = HIDDEN.test(text) ? text.replace(HIDDEN, mark) : text;
  return shown.isWellFormed() ? shown : shown.replace(LONE, '\ufffd');
}

function mark(found: string): string {
  if (found === '\r\n') return '\n';
  const code = found.codePointAt(0) as number;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}
