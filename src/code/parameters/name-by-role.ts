import { isVerb, nameWords } from '../schema/read-only-tool.ts';
import { ordinalWord } from './ordinals.ts';

/** A value that needs a name, described by its place in the program's calls. */
export interface NamedPlace {
  /** The property or constant that holds it. */
  readonly key: string | undefined;
  /** The properties around that one, outermost first. */
  readonly within: readonly string[];
  /** `server:tool`; undefined outside calls, and where the callee's name must not be shown. */
  readonly tool: string | undefined;
  readonly isReadOnly: boolean;
  /** The local name of the call's result. */
  readonly result?: string | undefined;
  /** The text itself, whose words tell places apart where nothing else does. */
  readonly value?: string | undefined;
}

const MAX_NAME = 40;
/** Names of results that tell two of them apart by order alone. */
const SAYS_NOTHING =
  /^(?:[A-Za-z]|(?:result|response|res|data|output|out|value|val|tmp|first|second|one|other)s?)_?\d*$/i;
const LOCATION = /(?:path|file|filename|folder|dir|directory|url|uri|location)$/i;

/**
 * Names values by their keys. Values of one key are told apart by their role: the object around them, the source and the
 * target of a copy, the tool, the server; by their order alone as the last resort. The names depend on the calls and their
 * keys only, so that a flow has the same names over any data.
 */
export function nameByRole(places: readonly NamedPlace[], taken: Iterable<string>): string[] {
  const used = new Set(taken);
  const names = new Map<NamedPlace, string>();
  const assign = (group: readonly NamedPlace[], chosen: readonly string[]) => {
    for (const [index, place] of group.entries()) names.set(place, chosen[index] as string);
    for (const name of chosen) used.add(name);
  };
  const groups = [...Map.groupBy(places, ({ key }) => identifierFrom(key ?? 'value'))];
  const isPlain = ([base, group]: (typeof groups)[number]) => group.length === 1 && !used.has(base);
  const [plain, contested] = [groups.filter(isPlain), groups.filter((group) => !isPlain(group))];
  // A key that occurs once keeps its name, whatever the others are called.
  for (const [base, group] of plain) assign(group, [base]);
  for (const [base, group] of contested) assign(group, rolesOf(base, group, used));
  return places.map((place) => names.get(place) as string);
}

/** Finds the first way of telling the values of one key apart that gives each a free name. */
function rolesOf(base: string, group: readonly NamedPlace[], used: ReadonlySet<string>): string[] {
  let best: string[] = group.map(() => base);
  for (const qualifiers of waysToQualify(base, group)) {
    const names = qualifiers.map((qualifier) => qualified(qualifier, base));
    if (countDistinct(names) === group.length && !names.some((name) => used.has(name))) return names;
    if (countDistinct(names) > countDistinct(best)) best = names;
  }
  return withOrdinals(best, used);
}

function countDistinct(names: readonly string[]): number {
  return new Set(names).size;
}

function* waysToQualify(base: string, group: readonly NamedPlace[]): Generator<readonly string[]> {
  const around = group.map(({ within }) => within.at(-1) ?? '');
  const tools = toolRoles(base, group);
  const servers = group.map(({ tool = '' }) => tool.slice(0, Math.max(0, tool.indexOf(':'))));
  const join = (...parts: readonly (readonly string[])[]) =>
    group.map((_, index) =>
      parts
        .map((part) => part[index])
        .filter(Boolean)
        .join('_'),
    );
  yield around;
  const copy = copyRoles(base, group);
  if (copy) yield copy;
  yield tools;
  yield servers;
  yield join(tools, around);
  yield join(servers, tools);
  yield join(servers, tools, around);
  yield group.map(({ result = '' }) => (SAYS_NOTHING.test(result) ? '' : plainWord(result)));
  yield group.map(({ value = '' }) => wordOf(value));
}

function plainWord(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/** The last word of a path, an address or a name, without its extension: `users` of `data/users.json`. */
function wordOf(value: string): string {
  const last =
    value
      .split(/[/\\\s]+/)
      .filter(Boolean)
      .at(-1) ?? '';
  return /[A-Za-z][A-Za-z0-9]{1,15}/.exec(last)?.[0].toLowerCase() ?? '';
}

/** A program that reads one place and writes another has a source and a target. */
function copyRoles(base: string, group: readonly NamedPlace[]): string[] | undefined {
  const [first, second] = group;
  const isCopy = group.length === 2 && first?.isReadOnly && second && !second.isReadOnly;
  const areTools = first?.tool !== undefined && second?.tool !== undefined;
  return isCopy && areTools && LOCATION.test(base) ? ['source', 'target'] : undefined;
}

/** The words by which the tools of a group differ, without verbs if what is left still tells them apart. */
function toolRoles(base: string, group: readonly NamedPlace[]): string[] {
  const ownNames = group.map(({ tool = '' }) => nameWords(tool.slice(tool.indexOf(':') + 1)));
  const distinct = [...new Map(ownNames.map((words) => [words.join('_'), words])).values()];
  const [first = [], ...others] = distinct;
  const common = new Set(
    others.length > 0 ? first.filter((word) => others.every((words) => words.includes(word))) : [],
  );
  const inBase = new Set(nameWords(base));
  const rest = (words: readonly string[]) => words.filter((word) => !common.has(word) && !inBase.has(word));
  const nouns = (words: readonly string[]) => rest(words).filter((word) => !isVerb(word));
  for (const shorten of [nouns, rest]) {
    const short = distinct.map((words) => shorten(words).join('_'));
    if (!short.includes('') && countDistinct(short) === distinct.length)
      return ownNames.map((words) => shorten(words).join('_'));
  }
  return ownNames.map((words) => words.join('_'));
}

/** Numbers the names that are not unique, or taken: `first_folder`, `second_folder`. */
export function withOrdinals(names: readonly string[], used: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  const groups = Map.groupBy(names, (name) => name);
  const taken = new Set([...used, ...names]);
  return names.map((name) => {
    if (groups.get(name)?.length === 1 && !used.has(name)) return name;
    // If the plain name is an argument of the code already, that one is the first.
    let count = counts.get(name) ?? (used.has(name) ? 1 : 0);
    let numbered = name;
    while (taken.has(numbered)) {
      count += 1;
      numbered = `${ordinalWord(count)}_${name.replace(/^_+/, '')}`;
    }
    counts.set(name, count);
    taken.add(numbered);
    return numbered;
  });
}

/** Shortens the qualifier, not the key. */
function qualified(qualifier: string, base: string): string {
  const room = MAX_NAME - base.length - 1;
  const short = identifierFrom(qualifier.slice(0, Math.max(0, room)), '');
  return short === '' ? base : `${short}_${base.replace(/^_+/, '')}`;
}

/** Makes a name that every model API accepts for a property, and that may follow `args.`. */
export function identifierFrom(key: string, nothing = 'value'): string {
  const [trimmed] = /[^_](?:.*[^_])?/.exec(key.replace(/[^A-Za-z0-9_]+/g, '_')) ?? [''];
  const plain = (isConstantCase(trimmed) ? trimmed.toLowerCase() : trimmed).slice(0, MAX_NAME);
  if (plain === '') return nothing;
  const name = /^\d/.test(plain) ? `_${plain}` : plain;
  // `args.constructor` exists even if nobody passed it.
  return name in Object.prototype ? `${name}_` : name;
}

/** True for `MIN_OPEN` and `DAYS`. */
function isConstantCase(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{2,}$/.test(name);
}
