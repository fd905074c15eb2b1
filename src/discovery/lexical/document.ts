import type { DiscoveryEntry } from '../entry.ts';
import type { Demands } from '../text/given-values.ts';
import { shortenPaths } from '../text/paths.ts';
import { ASKING_WORDS } from '../text/stop-words.ts';
import { type Effect, effectOf } from '../text/verbs.ts';
import { type Word, wordsOf } from '../text/words.ts';
import { FIELD_WEIGHTS, type FieldWeight, SATURATION } from '../weights.ts';
import { readDemands, readParameters } from './parameters.ts';

/** An entry as its words. */
export interface Document {
  /** Term → its weight in this entry, 0 to 1. */
  terms: Map<string, number>;
  /** The terms of its name, each once. */
  name: string[];
  /** The terms of its texts in order; '' stands between two texts. Each is also in `terms`. */
  sequence: string[];
  effect: Effect | undefined;
  demands: Demands;
}

/** Characters read of an entry; the rest says little new. */
const MAX_NAME = 400;
const MAX_DESCRIPTION = 4000;
const MAX_INTENTS = 2000;
const MAX_SEQUENCE = 300;
const OPENING_WORDS = 10;

export function analyseEntry(entry: DiscoveryEntry): Document {
  const name = wordsOf(entry.name.slice(0, MAX_NAME));
  const [summary, details] = splitDescription(entry.description.slice(0, MAX_DESCRIPTION));
  const parameters = readParameters(entry.inputSchema);
  const fields = {
    name: withoutStopWords(name),
    title: withoutStopWords(wordsOf((entry.title ?? '').slice(0, MAX_NAME))),
    server: withoutStopWords(wordsOf(entry.server.slice(0, MAX_NAME))),
    tags: withoutStopWords(wordsOf((entry.tags ?? []).join(' ').slice(0, MAX_NAME))),
    summary: withoutStopWords(wordsOf(summary)),
    details: withoutStopWords(wordsOf(details)),
    intents: withoutStopWords(wordsOf(shortenPaths((entry.intents ?? []).join('\n').slice(0, MAX_INTENTS)))),
    calls: withoutStopWords(wordsOf((entry.calls ?? []).join(' ').slice(0, MAX_NAME))),
    parameterNames: withoutStopWords(wordsOf(parameters.names)),
    parameterDescriptions: withoutStopWords(wordsOf(parameters.descriptions)),
  } satisfies Record<keyof typeof FIELD_WEIGHTS, string[]>;
  const terms = new Map<string, number>();
  for (const key of Object.keys(fields) as (keyof typeof fields)[])
    addField(terms, fields[key], FIELD_WEIGHTS[key], fields[key].length);
  addField(terms, joinedPairs(name), FIELD_WEIGHTS.name, fields.name.length);
  for (const [term, count] of terms) terms.set(term, Math.fround(count / (count + SATURATION)));
  const { title, server, intents } = fields;
  const texts = [fields.name, title, server, fields.summary, fields.details, intents];
  return {
    terms,
    name: [...new Set(fields.name)],
    sequence: texts.flatMap((text) => [...text, '']).slice(0, MAX_SEQUENCE),
    effect: effectIn(name) ?? effectOfCalls(entry.calls ?? []) ?? effectIn(openingOf(summary)),
    demands: readDemands(entry.inputSchema),
  };
}

function addField(
  terms: Map<string, number>,
  words: readonly string[],
  { weight, lengthNorm, ordinaryLength }: FieldWeight,
  length: number,
): void {
  const each = weight / (1 - lengthNorm + (lengthNorm * length) / ordinaryLength);
  for (const word of words) terms.set(word, (terms.get(word) ?? 0) + each);
}

function withoutStopWords(words: readonly Word[]): string[] {
  return words.filter(({ isStop }) => !isStop).map(({ stem }) => stem);
}

/** `key_vault` is also found as `keyvault`. */
function joinedPairs(words: readonly Word[]): string[] {
  return words.slice(1).map(({ text }, index) => `${words[index]?.text}${text}`);
}

function splitDescription(description: string): [summary: string, details: string] {
  const end = /[.!?。](?:\s|$)|\n/.exec(description)?.index ?? description.length;
  return [description.slice(0, end), description.slice(end)];
}

/** Calls that read prepare the one that changes something, which is most often the last. */
function effectOfCalls(calls: readonly string[]): Effect | undefined {
  const effects = calls.flatMap((callee) => effectIn(wordsOf(callee, 4)) ?? []);
  return effects.findLast((effect) => effect !== 'read') ?? effects[0];
}

/** The first words that say what is done: "Can you help me delete an alarm" begins with "delete". */
function openingOf(summary: string): Word[] {
  const words = wordsOf(summary, OPENING_WORDS).filter(
    ({ isStop, text }) => !isStop && !ASKING_WORDS.has(text),
  );
  return words.slice(0, 3);
}

function effectIn(words: readonly Word[]): Effect | undefined {
  for (const { text } of words) {
    const effect = effectOf(text);
    if (effect) return effect;
  }
  return undefined;
}
