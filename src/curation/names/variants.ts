import { parameterNames } from './action.ts';
import { codeFacts } from './code-facts.ts';
import { composeAction } from './compose.ts';
import type { Nameable, NamingStyle } from './nameable.ts';
import type { UsedTool } from './namespace.ts';
import { isContent } from './noun-phrase.ts';
import type { Phrase } from './phrase.ts';
import { properNames } from './quoted-data.ts';
import { readTools } from './tool-phrase.ts';
import { DETERMINERS, GENERIC_NOUNS } from './vocabulary.ts';
import { nameWords, sentenceWords, verbOf } from './words.ts';

const LINKS = new Set(['from', 'for', 'with', 'by', 'in']);
const MAX_EACH = 4;
/** A higher number would say no more than the hash of the code. */
const MAX_SUFFIX = 99;

/** Yields other ways to say an action: by a word of the intent, by a parameter, by a tool, by what is returned, by number. */
export function* variantsOf(
  action: Phrase,
  capability: Nameable,
  tools: readonly UsedTool[],
  style: NamingStyle,
): Generator<string> {
  const used = new Set([action.verb, ...action.target]);
  const withWords = (...words: string[]) =>
    composeAction({ ...action, target: [...action.target, ...words] }, style);
  for (const words of linkedWords(capability.intent).slice(0, MAX_EACH))
    if (!words.some((word) => used.has(word))) yield withWords(...words);
  for (const name of parameterNames(capability).slice(0, MAX_EACH)) yield withWords('by', ...nameWords(name));
  const called = readTools(tools);
  if (called && called.target.length > 0)
    yield composeAction({ verb: action.verb ?? called.verb, target: called.target }, style);
  for (const key of codeFacts(capability.code).returned.slice(0, MAX_EACH))
    yield withWords('with', ...nameWords(key));
  const base = composeAction(action, style).slice(0, 32);
  for (let suffix = 2; suffix <= MAX_SUFFIX; suffix++) yield `${base}${style.separator}${suffix}`;
}

/** Lists the phrases that an intent adds with a preposition: `from header`, `for client`. */
function linkedWords(intent: string): string[][] {
  const words = sentenceWords(intent);
  const names = properNames(intent);
  return words.flatMap((word, at) => {
    if (!LINKS.has(word) && !(word === 'to' && DETERMINERS.has(words[at + 1] ?? ''))) return [];
    const noun = words
      .slice(at + 1, at + 4)
      .find((next) => isContent(next) && !GENERIC_NOUNS.has(next) && !/ly$|\d/.test(next));
    return noun && verbOf(noun) === undefined && !names.has(noun) ? [[word, noun]] : [];
  });
}
