import type { DocumentedFunction } from './documented-functions.ts';

const STOP = new Set(
  `a an the of in on at by for from to into with and or that which is are be it its this if whether as given specified provided using each
   all new one two based when than not can has have`.split(/\s+/),
);
const OPENINGS: readonly [RegExp, string][] = [
  [/^(checks?|determines?|tests?|returns?) (if|whether)\b|^returns? `?true`? if\b|^(is|are) /, 'is '],
  [/^(returns?|gives?|computes?|calculates?) /, ''],
  [/^(creates?|makes?) an? (new )?(function|array|object|list) (that|which|of|with|composed)\b/, ''],
  [/^(converts?|transforms?) .* (in)?to /, 'to '],
];

/** The first word, and the first one after it that is no stop word. */
export function verbAndNoun({ intent }: DocumentedFunction): string[] {
  const [verb = '', ...rest] = wordsOf(intent);
  return [base(verb), ...rest.filter((word) => !STOP.has(word)).slice(0, 1)];
}

/** Rewrites a few openings and keeps the first three words that are no stop words. */
export function plainRules({ intent }: DocumentedFunction): string[] {
  let text = intent.toLowerCase();
  for (const [opening, replacement] of OPENINGS) text = text.replace(opening, replacement);
  const [first = '', ...rest] = wordsOf(text);
  const kept = rest.filter((word) => !STOP.has(word));
  return [first === 'is' || first === 'to' ? first : base(first), ...kept]
    .filter((word) => word !== '')
    .slice(0, 3);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function base(verb: string): string {
  if (/(ss|sh|ch|x|z)es$/.test(verb)) return verb.slice(0, -2);
  return /[^s]s$/.test(verb) ? verb.slice(0, -1) : verb;
}
