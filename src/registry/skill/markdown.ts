/** Escapes foreign text to one line of Markdown without headings, links, images, code or HTML. */
export function plainLine(text: string): string {
  return flat(text).replace(/[\\`*_{}[\]<>()#|~!&$@:]/g, '\\$&');
}

/** Puts text on one line, without control and format characters. */
export function flat(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Cn}\p{Co}\u2028\u2029]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Fences a block of code so that its content cannot end it. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n?$/, '\n')}${fence}`;
}

/** Quotes code within a line so that its content cannot end it. */
export function inlineCode(text: string): string {
  // Two backticks with nothing between them would open code, not be empty code.
  const line = flat(text) || ' ';
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Quotes text as YAML that every parser reads back, and that cannot end the front matter. */
export function yamlText(text: string): string {
  return JSON.stringify(text.toWellFormed())
    .replace(/[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g, escaped)
    .replace(/-(?=--)|(?<=-)-(?=-)|(?<=--)-/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
