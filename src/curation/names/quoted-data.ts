const MAX_TEXT = 2000;

/** Text in quotes. An apostrophe within a word is none. */
const QUOTED = /(?<![\w'’])'[^'\n]{1,200}'(?![\w'’])|"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»/g;

/** Words that are values: addresses, mails, paths, hashes, handles, sums of money. */
const VALUES = [
  /^[a-z][a-z0-9+.-]{1,15}:\/\//i,
  /.@./,
  /^(?:~|\.{1,2}|[a-z]:)?[/\\]/i,
  /\/[^/]*\//,
  /^[a-f]{0,40}\d[a-f\d]{7,64}$/i,
  /^[@#$€£]./,
];

/** Replaces the values that a text quotes, which belong to the run it was written for. */
export function withoutData(text: string, replacement = ' '): string {
  return text
    .replace(QUOTED, replacement)
    .split(/(\s)/)
    .map((word) => {
      const value = withoutPunctuation(word);
      return VALUES.some((pattern) => pattern.test(value))
        ? `${replacement}${word.slice(value.length)}`
        : word;
    })
    .join('');
}

function withoutPunctuation(word: string): string {
  let end = word.length;
  while (end > 0 && ',.;:!?)'.includes(word[end - 1] as string)) end -= 1;
  return word.slice(0, end);
}

/** Lists words with a capital within a sentence, in lower case: most name people, places and firms of the first run. */
export function properNames(text: string): Set<string> {
  const words = text.slice(0, MAX_TEXT).split(/\s+/);
  const found = words.flatMap((word, at) => {
    const isWithin = at > 0 && !/[.!?:]$/.test(words[at - 1] ?? '');
    const [name] = (isWithin && /^[A-Z][a-z]{1,30}(?![A-Za-z])/.exec(word)) || [];
    return name ? [name.toLowerCase()] : [];
  });
  // A title has capitals everywhere.
  return new Set(found.length * 2 > words.length - 1 ? [] : found);
}
