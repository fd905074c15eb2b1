import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { parameterNames } from './action.ts';
import { codeFacts } from './code-facts.ts';
import type { Nameable } from './nameable.ts';
import { namespacesOf, type UsedTool } from './namespace.ts';
import { isContent } from './noun-phrase.ts';
import { MEANINGS } from './parameter-meanings.ts';
import type { Phrase } from './phrase.ts';
import { withoutData } from './quoted-data.ts';
import { GENERIC_NOUNS } from './vocabulary.ts';
import { nameWords } from './words.ts';

const MAX_SENTENCE = 200;
const MAX_TAGS = 6;
const MAX_SHOWN = 5;

/** Describes what a capability does, when to use it and what it returns, without the data of the run it was made by. */
export function describe(capability: Nameable, action: Phrase, tools: readonly UsedTool[]): string {
  const use = purpose(action);
  const when = use === '' ? '' : `Use it ${use}${through(tools)}.`;
  return [intentSentence(capability.intent), when, returnsSentence(capability)]
    .filter((part) => part !== '')
    .join(' ');
}

const QUESTIONS = new Set(['is', 'has', 'can', 'should', 'must']);

function purpose({ verb, target }: Phrase): string {
  const things = target.join(' ').replaceAll('-', ' ');
  if (verb !== undefined && QUESTIONS.has(verb)) return `to find out whether something ${verb} ${things}`;
  if (verb !== undefined) return `to ${verb} ${things}`.trimEnd();
  if (target.includes('to')) return `to convert ${things}`;
  return things === '' ? '' : `for ${things}`;
}

/** Suggests the namespaces and the nouns by which one would look for it. */
export function tagsFor(namespace: string, { verb, target }: Phrase, tools: readonly UsedTool[]): string[] {
  const nouns = target
    .flatMap((word) => word.split('-'))
    .filter((word) => isContent(word) && !GENERIC_NOUNS.has(word));
  const all = [namespace, ...namespacesOf(tools), ...(verb ? [verb] : []), ...nouns];
  return [...new Set(all.map((tag) => tag.toLowerCase()))].filter((tag) => tag.length > 1).slice(0, MAX_TAGS);
}

/** Describes the parameters that have no description yet. */
export function describeParameters(capability: Nameable): Record<string, string> {
  const { passedAs } = codeFacts(capability.code);
  const required = new Set(requiredOf(capability.parameters));
  return Object.fromEntries(
    parameterNames(capability).flatMap((name) => {
      const schema = capability.parameters.properties?.[name];
      if (isJsonSchema(schema) && schema.description) return [];
      const isOptional = required.size > 0 && !required.has(name);
      return [[name, `${meaningOf(name, passedAs.get(name))}${isOptional ? ' (optional)' : ''}.`]];
    }),
  );
}

function meaningOf(name: string, passedAs: string | undefined): string {
  const words = nameWords(name);
  const last = words.at(-1) ?? '';
  const meaning = MEANINGS.get(words.join('')) ?? MEANINGS.get(last);
  if (meaning && words.length === 1) return meaning;
  if (last === 'id' || last === 'ids') return `${MEANINGS.get(last)} of the ${words.slice(0, -1).join(' ')}`;
  const as = passedAs && passedAs !== name ? MEANINGS.get(nameWords(passedAs).at(-1) ?? '') : undefined;
  if (words.length === 0) return as ?? 'A value';
  const own = words.join(' ');
  if (own.length < 3) return `Value of \`${name.slice(0, 60)}\``;
  return `${own.charAt(0).toUpperCase()}${own.slice(1)}${as ? `: ${as.charAt(0).toLowerCase()}${as.slice(1)}` : ''}`;
}

/** A person's request to an agent is no description. */
const SPOKEN =
  /^(?:i|we|you|it|he|she|my|our|can|could|would|will|please|hi|hello|hey|oh|also|since|with|before|after|what|let|there|as|so|now)\b/i;

/** Writes the intent as a sentence, with `…` for the values it quotes. */
function intentSentence(intent: string): string {
  const plain = withoutData(intent.slice(0, 4 * MAX_SENTENCE).replace(/[{}`]/g, ''), '…')
    .replace(/(?<![\w.-])\d[\d.,:]{0,30}(?!\w)/g, '…')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/…[\s…,]*…/g, '…')
    .trim()
    .slice(0, MAX_SENTENCE)
    .toWellFormed();
  if (!/[\p{L}\p{N}]/u.test(plain) || SPOKEN.test(plain)) return '';
  const sentence = `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`;
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

function through(tools: readonly UsedTool[]): string {
  const servers = [...new Set(tools.map(({ server }) => server))]
    .filter((server) => server !== '')
    .slice(0, 3);
  return servers.length > 0 ? ` through ${servers.join(', ')}` : '';
}

function returnsSentence({ outputSchema, code }: Nameable): string {
  if (outputSchema) {
    const kind = kindOf(outputSchema);
    if (kind) return `Returns ${kind}.`;
  }
  const { returned } = codeFacts(code);
  return returned.length > 0 ? `Returns ${objectWith(returned)}.` : '';
}

function kindOf(schema: JsonSchema): string | undefined {
  const [type] = typesOf(schema) ?? [];
  const keys = Object.keys(schema.properties ?? {});
  if (type === 'object' || keys.length > 0) return keys.length > 0 ? objectWith(keys) : 'an object';
  if (type === 'array') {
    const item = isJsonSchema(schema.items) ? Object.keys(schema.items.properties ?? {}) : [];
    return item.length > 0 ? `a list; each item is ${objectWith(item)}` : 'a list';
  }
  return type === undefined ? undefined : `a ${type === 'string' ? 'text' : type}`;
}

function objectWith(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_SHOWN).map((key) => `\`${key.slice(0, 60).toWellFormed()}\``);
  return `an object with ${shown.join(', ')}${keys.length > MAX_SHOWN ? ' and more' : ''}`;
}
