import { parameterNames } from './action.ts';
import { isValidName } from './compose.ts';
import type { IsTaken, Nameable } from './nameable.ts';
import { namespacesOf, usedTools } from './namespace.ts';
import { DEFAULT_NAMESPACE } from './namespace-table.ts';
import { readClauses } from './read-intent.ts';
import { toolWords } from './tool-phrase.ts';
import { STOP_WORDS } from './vocabulary.ts';
import { nameWords, sentenceWords, verbOf } from './words.ts';

/** How much each part counts. */
export const WEIGHTS = { tools: 0.3, intent: 0.3, uniqueness: 0.4 } as const;

export interface Confidence {
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reasoning: string;
}

/** A part of the confidence: from 0 to 1, and why. */
interface Part {
  readonly score: number;
  readonly why: string;
}

/** Judges a name for a capability, whoever proposed it: does it fit the tools and a clear intent, and is it free? */
export function confidenceOf(name: string, capability: Nameable, taken: IsTaken): Confidence {
  return judge(name, capability, taken, false);
}

/** As `confidenceOf`. `isVariant` marks a second choice, made because the first was taken. */
export function judge(name: string, capability: Nameable, taken: IsTaken, isVariant: boolean): Confidence {
  if (!isValidName(name)) return { confidence: 0, reasoning: 'Not a valid name, or reserved.' };
  const parts = {
    tools: toolsMatch(name, capability),
    intent: intentClarity(name, capability),
    uniqueness: uniqueness(name, taken, isVariant),
  };
  const keys = Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[];
  const total = keys.reduce((sum, key) => sum + WEIGHTS[key] * parts[key].score, 0);
  const reasons = keys.map((key) => {
    const points = (WEIGHTS[key] * parts[key].score).toFixed(2);
    return `${key} ${points} of ${WEIGHTS[key].toFixed(2)}: ${parts[key].why}`;
  });
  return { confidence: Math.round(total * 100) / 100, reasoning: `${reasons.join('; ')}.` };
}

function toolsMatch(name: string, capability: Nameable): Part {
  const { namespace, words } = wordsOfName(name);
  const tools = usedTools(capability.toolsUsed);
  const spaces = namespacesOf(tools);
  if (spaces.length === 0) return withoutTools(namespace, words, capability);
  const main = tools.filter((tool) => tool.namespace === spaces[0]);
  const isMain = spaces[0] === namespace || main.some(({ server }) => server === namespace);
  const isOne = spaces.includes(namespace) || tools.some(({ server }) => server === namespace);
  const known = toolWords(tools);
  const shared = words.filter((word) => known.has(word) || known.has(verbOf(word) ?? word));
  const score = (isMain ? 0.6 : isOne ? 0.5 : 0) + (shared.length > 0 ? 0.4 : 0);
  const fits = isOne
    ? `namespace ${namespace} fits its tools`
    : `its tools suggest the namespace ${spaces[0]}`;
  const says =
    shared.length > 0 ? `"${shared.join(' ')}" is in a tool's name` : 'no word is in a tool’s name';
  return { score, why: `${fits}, ${says}` };
}

/** Code without tools is judged by its own words. */
function withoutTools(namespace: string, words: readonly string[], capability: Nameable): Part {
  const known = new Set([
    ...parameterNames(capability).flatMap(nameWords),
    ...nameWords(capability.code.slice(0, 600)).map((word) => verbOf(word) ?? word),
  ]);
  const shared = words.filter((word) => known.has(word));
  const score = (namespace === DEFAULT_NAMESPACE ? 0.6 : 0.3) + (shared.length > 0 ? 0.4 : 0);
  const says = shared.length > 0 ? `"${shared.join(' ')}" is in its code` : 'no word is in its code';
  return { score, why: `it uses no tools, ${says}` };
}

/** A text that speaks to a model, not about the code, is no ground for a name. */
const ORDERS =
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|instructions|prompt|prompts|rules)\b/i;

function intentClarity(name: string, capability: Nameable): Part {
  const { intent } = capability;
  if (ORDERS.test(intent)) return { score: 0, why: 'the intent gives orders to its reader' };
  const { words } = wordsOfName(name);
  const clauses = readClauses(intent, parameterNames(capability));
  const hasVerb = clauses.some(({ verb, target }) => (verb && verbOf(verb)) || target.includes('to'));
  const hasTarget = clauses.some(({ target }) => target.length > 0);
  const known = new Set(sentenceWords(intent).flatMap(wordForms));
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  const covered = telling.filter((word) => wordForms(word).some((form) => known.has(form)));
  const share = covered.length / Math.max(telling.length, 1);
  // One word alone, `fs:read`, hardly tells a capability from others.
  const said = telling.length > 1 ? share : share / 2;
  const score = ((hasVerb ? 1 : 0) + (hasTarget ? 1 : 0)) * (0.1 + 0.4 * said);
  const clear = hasVerb && hasTarget ? 'the intent says what is done to what' : 'the intent is vague';
  return { score, why: `${clear}, and ${covered.length} of ${telling.length} words of the name are in it` };
}

/** A word as it stands, as a verb's base form and without the plural. */
function wordForms(word: string): string[] {
  return word.split('-').flatMap((part) => [part, verbOf(part) ?? part, part.replace(/s$/, '')]);
}

/** A name that only adds to one that is taken is easily mistaken for it. */
function uniqueness(name: string, taken: IsTaken, isVariant: boolean): Part {
  if (taken(name)) return { score: 0, why: 'the name is taken' };
  const [, separator = '_'] = /[A-Za-z0-9]([_-])/.exec(name.slice(name.indexOf(':') + 1)) ?? [];
  const parts = name.split(separator);
  const shorter = parts
    .map((_, at) => parts.slice(0, at).join(separator))
    .findLast((one, at) => at > 1 && taken(one));
  if (shorter === undefined)
    return isVariant
      ? { score: 0.5, why: 'the name is free, but the first choice is taken' }
      : { score: 1, why: 'the name is free' };
  const isNumbered = /^\d+$/.test(parts.at(-1) ?? '');
  return {
    score: isNumbered ? 0.25 : 0.5,
    why: `the name is free, but a variant of "${shorter}", which is taken`,
  };
}

function wordsOfName(name: string): { namespace: string; words: string[] } {
  const colon = name.indexOf(':');
  return {
    namespace: colon > 0 ? name.slice(0, colon) : DEFAULT_NAMESPACE,
    words: nameWords(name.slice(colon + 1)).filter((word) => !/^\d+$/.test(word)),
  };
}
