/** Returns the first sentence of a doc comment as plain text, from `@summary` or `@description` if it begins with tags. */
export function firstSentence(comment: string): string {
  const text = comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*+ ?/, ''))
    .join('\n')
    .trim();
  const body = text.startsWith('@')
    ? (taggedText(text, 'description') ?? taggedText(text, 'summary') ?? '')
    : text;
  const [paragraph = ''] = body.split(/\n\s*\n|\n\s*@/);
  const plain = paragraph
    .replace(/\{@link(?:code|plain)? ([^}|]+)(?:\|[^}]*)?\}/g, '$1')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return (/^.*?[.!?](?=\s+[A-Z`(]|$)/.exec(plain)?.[0] ?? plain).replace(/[.!?:]+$/, '');
}

function taggedText(text: string, tag: string): string | undefined {
  const found = new RegExp(`^@${tag}\\s+([\\s\\S]*?)(?=\\n\\s*\\n|\\n@|$)`, 'm').exec(text);
  return found?.[1];
}
