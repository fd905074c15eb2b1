import { drawBelow, hashText, mixHash } from './hash.ts';

/** Names of the language, which say nothing about what tools answer. */
const OF_LANGUAGE = new Set(
  `length map filter push pop shift unshift slice splice split join trim concat includes indexOf startsWith endsWith replace
   replaceAll toLowerCase toUpperCase padStart padEnd toString toFixed toISOString getTime reduce flatMap flat forEach find
   findIndex some every sort reverse at keys values entries fromEntries from all allSettled then catch finally log error warn
   message stringify parse min max round floor ceil abs test match exec has get set add delete now UTC isArray isNaN name_
   call apply bind prototype constructor mcp args const let return await async function`.split(/\s+/),
);
const NUMBERS =
  /(?:total|count|size|amount|price|balance|number|score|rate|sum|stock|minutes|days|hours|age|rank|comments)$/i;
const LISTS = /[a-z]s$/;
const MAX_NAMES = 24;
/** In characters. */
const MAX_PATTERN = 200;

/**
 * The fields that programs read: a guess at what tools answer whose answers nobody has seen. Without it, the items of a list that
 * was empty, and what follows a call that was not made, would be the same for all programs.
 */
export function readFields(codes: readonly string[]): string[] {
  const names = new Set<string>();
  for (const code of codes) {
    const own = code.replaceAll(/\bmcp\s*\.\s*\w+\s*\.\s*\w+/g, '');
    for (const [, dotted] of own.matchAll(/\.([A-Za-z_]\w*)/g)) names.add(dotted as string);
    for (const part of own.split('{').slice(1)) {
      const end = part.indexOf('}');
      if (end > MAX_PATTERN || !/^[\w\s,:]+$/.test(part.slice(0, end))) continue;
      if (!/^\s*(?:=|of|\)\s*=>)/.test(part.slice(end + 1))) continue;
      for (const name of part.slice(0, end).split(',')) names.add(name.split(':')[0]?.trim() ?? '');
    }
  }
  return [...names]
    .filter((name) => /^\w{1,40}$/.test(name) && !OF_LANGUAGE.has(name))
    .sort()
    .slice(0, MAX_NAMES);
}

/** An object with the fields that programs read. */
export function guessObject(fields: readonly string[], key: number, depth = 0): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const name of fields) {
    const at = mixHash(key, hashText(name));
    if (LISTS.test(name) && depth < 1)
      object[name] = [1, 2].map((nth) => guessObject(fields, mixHash(at, nth), depth + 1));
    else object[name] = NUMBERS.test(name) ? drawBelow(at, 121, 90) : `${name}-${drawBelow(at, 122, 50)}`;
  }
  return object;
}
