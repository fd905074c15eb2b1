/** A piece of code, and a colour that names what it is. */
export interface Token {
  readonly content: string;
  readonly color?: string;
}

/** The CSS classes of the page, by the variables that the theme has for colours. Other tokens stay plain. */
const CLASSES: Readonly<Record<string, string>> = {
  'var(--token-keyword)': 'keyword',
  'var(--token-string)': 'string',
  'var(--token-string-expression)': 'string',
  'var(--token-constant)': 'number',
  'var(--token-comment)': 'comment',
  'var(--token-function)': 'function',
  'var(--token-parameter)': 'property',
};

/** Writes tokens as HTML: a `span.line` for each line, in it spans with a class for what each piece is. */
export function spansOf(lines: readonly (readonly Token[])[]): string {
  return lines.map((line) => `<span class="line">${line.map(spanOf).join('')}</span>`).join('\n');
}

function spanOf({ content, color = '' }: Token): string {
  const name = CLASSES[color];
  const text = escapeHtml(content);
  return name === undefined ? text : `<span class="tok-${name}">${text}</span>`;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** Writes code as lines without colours. */
export function plainSpans(code: string): string {
  return code
    .split('\n')
    .map((line) => `<span class="line">${escapeHtml(line)}</span>`)
    .join('\n');
}
