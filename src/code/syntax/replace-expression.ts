import type MagicString from 'magic-string';
import type { Span } from './positions.ts';

const NAME_CHAR = /[\p{ID_Continue}$\u200c\u200d]/u;

/** Replaces one expression by another, with spaces where needed: `return"a"` must not become `returnargs.a`. */
export function replaceExpression(text: MagicString, { start, end }: Span, expression: string): void {
  const before = NAME_CHAR.test(text.original[start - 1] ?? '') ? ' ' : '';
  const after = NAME_CHAR.test(text.original[end] ?? '') ? ' ' : '';
  text.overwrite(start, end, `${before}${expression}${after}`);
}

/** Escapes text for use inside a template literal. */
export function templateText(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return escaped.replaceAll('`', '\\`').replaceAll('${', '\\${');
}
