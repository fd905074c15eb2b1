import { codeFacts } from './code-facts.ts';
import type { Nameable } from './nameable.ts';
import type { UsedTool } from './namespace.ts';
import type { Phrase } from './phrase.ts';
import { properNames } from './quoted-data.ts';
import { readClauses, readIntent } from './read-intent.ts';
import { readTools, toolWords } from './tool-phrase.ts';
import { nameWords, verbOf } from './words.ts';

const MAX_EXAMPLES = 5;
/** A longer intent reads like a letter: only its clauses about the tools count. */
const MAX_PLAIN_INTENT = 120;

/** Finds what a capability does: in its intent, else in other intents, else in its tools' names, else in its code. */
export function chooseAction(capability: Nameable, tools: readonly UsedTool[]): Phrase {
  const parameters = parameterNames(capability);
  const said =
    tools.length > 0 ? saidAboutTools(capability, tools) : readIntent(capability.intent, parameters);
  if (said && isWhole(said)) return completed(said, tools);
  const called = readTools(tools);
  if (called) return called;
  const returned = codeFacts(capability.code).returned.slice(0, 2).flatMap(nameWords);
  if (returned.length > 0) return { verb: 'get', target: returned };
  const passed = parameters.slice(0, 2).flatMap(nameWords);
  return { verb: passed.length > 0 ? 'use' : undefined, target: passed };
}

/** Reads the clause that is about the tools: the one that shares the most words with their names. */
function saidAboutTools(capability: Nameable, tools: readonly UsedTool[]): Phrase | undefined {
  const { intent, examples = [] } = capability;
  const words = toolWords(tools);
  const servers = new Set(tools.flatMap(({ server }) => nameWords(server)));
  const names = parameterNames(capability);
  const clauses = [intent, ...examples.slice(0, MAX_EXAMPLES)].flatMap((text) => {
    const proper = properNames(text);
    const isKept = (word: string) => !proper.has(word) || words.has(word) || servers.has(word);
    return readClauses(text, names, words).map(({ verb, target }) => ({
      verb,
      target: target.filter(isKept),
    }));
  });
  let [best, most] = [undefined as Phrase | undefined, 0];
  for (const [at, phrase] of clauses.entries()) {
    const score =
      scoreClause(phrase, words, at === 0 && intent.length < MAX_PLAIN_INTENT) - Math.min(at, 10) / 20;
    if (score > most) [best, most] = [phrase, score];
  }
  return best;
}

/** A clause that shares no word with the tools counts only if it begins a short intent and has a verb and a target. */
function scoreClause({ verb, target }: Phrase, tools: ReadonlySet<string>, isPlace: boolean): number {
  const shared = target.flatMap((word) => word.split('-')).filter((word) => isOneOf(word, tools)).length;
  const isVerbShared = verb !== undefined && tools.has(verb);
  const isPlain = verb !== undefined && verbOf(verb) !== undefined && target.length > 0;
  if (shared === 0 && !isVerbShared) return isPlain && isPlace ? 1 : 0;
  return shared * 2 + (isVerbShared ? 2 : 0) + (isPlain ? 1 : 0) - (verb === undefined ? 1 : 0);
}

function isOneOf(word: string, tools: ReadonlySet<string>): boolean {
  return tools.has(word) || tools.has(`${word}s`) || (word.endsWith('s') && tools.has(word.slice(0, -1)));
}

function isWhole({ verb, target }: Phrase): boolean {
  return verb !== undefined || target.length > 0;
}

/** Adds the verb or the target that an intent leaves out, from the tools' names. */
function completed(said: Phrase, tools: readonly UsedTool[]): Phrase {
  const called = readTools(tools);
  if (!called || said.target.includes('to')) return said;
  return {
    verb: said.verb ?? called.verb,
    target:
      said.target.length > 0
        ? said.target.filter((word) => word !== called.verb)
        : called.target.filter((word) => word !== said.verb),
  };
}

export function parameterNames({ parameters }: Nameable): string[] {
  return Object.keys(parameters.properties ?? {}).slice(0, 100);
}
