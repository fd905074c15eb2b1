/** Cuts a text to at most `max` characters, with `…` at the end, and never through a surrogate pair. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, Math.max(0, max - 1));
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
