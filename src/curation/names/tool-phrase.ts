import type { UsedTool } from './namespace.ts';
import type { Phrase } from './phrase.ts';
import { PREPOSITIONS, VERBS } from './vocabulary.ts';
import { nameWords, verbOf } from './words.ts';

/** Verbs of tools that only look. */
const LOOKING = new Set([
  'get',
  'list',
  'read',
  'search',
  'find',
  'fetch',
  'query',
  'describe',
  'show',
  'view',
  'check',
  'lookup',
  'load',
  'count',
]);
const MOST = 3;

/** Reads what a capability does from the names of its tools: the last one that changes something, or else the first. */
export function readTools(tools: readonly UsedTool[]): Phrase | undefined {
  const phrases = tools.map(({ tool }) => readToolName(tool)).filter((phrase) => phrase !== undefined);
  return phrases.findLast(({ verb }) => verb !== undefined && !LOOKING.has(verb)) ?? phrases[0];
}

/** Lists the words of all tools' names, verbs in their base form. */
export function toolWords(tools: readonly UsedTool[]): Set<string> {
  return new Set(
    tools.flatMap(({ tool }) => nameWords(tool).flatMap((word) => [word, verbOf(word) ?? word])),
  );
}

/** Reads `create_issue`, `createIssue` and `issues.create` as `create` and `issue`. */
function readToolName(tool: string): Phrase | undefined {
  const words = nameWords(tool);
  if (words.length === 0) return undefined;
  const at = verbOf(words[0] as string) ? 0 : words.findLastIndex((word) => VERBS.has(word));
  const verb = at === -1 ? undefined : verbOf(words[at] as string);
  const target = words.filter((word, index) => index !== at && !PREPOSITIONS.has(word)).slice(0, MOST);
  return { verb, target };
}
