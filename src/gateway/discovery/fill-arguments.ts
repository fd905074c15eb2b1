import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { type PlainValues, plainValues, type StatedValue } from './plain-values.ts';

export interface FilledArguments {
  readonly args: Readonly<Record<string, unknown>>;
  /** Required parameters that the intent does not state plainly. */
  readonly missing: readonly string[];
}

const MAX_PARAMETERS = 40;
const MAX_MISSING = 8;

type ValueKind = Exclude<keyof PlainValues, 'words'>;

/** Which values a text parameter takes, by its format or the last word of its name. */
const KINDS: readonly { kind: ValueKind; format: RegExp; name: RegExp }[] = [
  { kind: 'urls', format: /^(?:uri|url|iri)/, name: /^(?:url|uri|link|href|website|endpoint)$/ },
  {
    kind: 'emails',
    format: /^(?:idn-)?email$/,
    name: /^(?:e?mail|recipient|recipients|to|from|cc|bcc|address)$/,
  },
  { kind: 'dates', format: /^date/, name: /^(?:date|day|since|until|after|before|start|end)$/ },
  {
    kind: 'paths',
    format: /^(?:path|file-path)$/,
    name: /^(?:path|paths|file|filename|filepath|dir|directory|folder)$/,
  },
];

/** Fills the arguments that an intent states plainly. Ambiguous values are left out. */
export function fillArguments(schema: JsonSchema, intent: string): FilledArguments {
  const values = plainValues(intent);
  const required = new Set(requiredOf(schema).slice(0, MAX_PARAMETERS));
  const properties = Object.entries(isJsonSchema(schema.properties) ? schema.properties : {});
  const ordered = [
    ...properties.filter(([key]) => required.has(key)),
    ...properties.filter(([key]) => !required.has(key)),
  ].slice(0, MAX_PARAMETERS);
  const unused = new Unused(values);
  const args: Record<string, unknown> = {};
  // Parameters that say what they take come before those that take any text.
  for (const take of [takeNamed, takeByKind, takeAny]) {
    for (const [key, property] of ordered) {
      if (Object.hasOwn(args, key) || !isJsonSchema(property)) continue;
      const value = take({
        key,
        property,
        isRequired: required.has(key),
        values,
        unused,
        ordered,
        args,
        required,
      });
      if (value !== undefined) args[key] = value;
    }
  }
  const missing = [...required].filter((key) => !Object.hasOwn(args, key)).slice(0, MAX_MISSING);
  return { args, missing };
}

interface Parameter {
  key: string;
  property: JsonSchema;
  isRequired: boolean;
  values: PlainValues;
  unused: Unused;
  ordered: readonly (readonly [string, unknown])[];
  args: Readonly<Record<string, unknown>>;
  required: ReadonlySet<string>;
}

/** Takes an enum value that the intent names, or a value that stands beside the parameter's name. */
function takeNamed({ key, property, values, unused }: Parameter): unknown {
  if (Array.isArray(property.enum)) {
    const chosen = property.enum.filter(
      (choice) => typeof choice === 'string' && values.words.includes(choice.toLowerCase()),
    );
    return chosen.length === 1 ? chosen[0] : undefined;
  }
  const last = lastWord(key);
  const isNamed = ({ before, after }: StatedValue) => sameWord(before, last) || sameWord(after, last);
  if (isNumeric(property)) return numberOf(property, unused.take('numbers', isNamed));
  return isText(property) ? unused.take('quoted', ({ before }) => sameWord(before, last))?.text : undefined;
}

/** Takes the next value of the kind that the format or the name asks for. */
function takeByKind({ key, property, isRequired, unused, ordered, args }: Parameter): unknown {
  if (Array.isArray(property.enum)) return undefined;
  const kind = kindOf(key, property);
  if (kind === undefined) return undefined;
  const [items] = [property.items];
  if (property.type === 'array' && isJsonSchema(items) && isText(items)) {
    const all = isRequired ? unused.takeAll(kind) : [];
    return all.length > 0 ? all : undefined;
  }
  if (!isText(property)) return undefined;
  // An optional parameter takes a value only if no other unfilled parameter could.
  const rivals = ordered.filter(
    ([name, one]) =>
      name !== key && !Object.hasOwn(args, name) && isJsonSchema(one) && kindOf(name, one) === kind,
  );
  return isRequired || rivals.length === 0 ? unused.take(kind)?.text : undefined;
}

/** Takes the only value that is left for the only required parameter that is left. */
function takeAny({ key, property, isRequired, unused, ordered, args, required }: Parameter): unknown {
  if (!isRequired || Array.isArray(property.enum)) return undefined;
  const isOpen = (fits: (schema: JsonSchema) => boolean) =>
    ordered.every(
      ([name, one]) =>
        name === key || !required.has(name) || Object.hasOwn(args, name) || !isJsonSchema(one) || !fits(one),
    );
  if (isNumeric(property))
    return isOpen(isNumeric) ? numberOf(property, unused.takeOnly('numbers')) : undefined;
  return isText(property) && isOpen(isText) ? unused.takeOnly('quoted')?.text : undefined;
}

/** The values that no parameter has taken yet. */
class Unused {
  readonly #left: Record<ValueKind, StatedValue[]>;

  constructor({ quoted, urls, emails, paths, dates, numbers }: PlainValues) {
    const left = { quoted, urls, emails, paths, dates, numbers };
    this.#left = Object.fromEntries(
      Object.entries(left).map(([kind, values]) => [kind, [...values]]),
    ) as never;
  }

  take(kind: ValueKind, fits: (value: StatedValue) => boolean = () => true): StatedValue | undefined {
    const at = this.#left[kind].findIndex(fits);
    return at === -1 ? undefined : this.#left[kind].splice(at, 1)[0];
  }

  takeOnly(kind: ValueKind): StatedValue | undefined {
    return this.#left[kind].length === 1 ? this.#left[kind].pop() : undefined;
  }

  takeAll(kind: ValueKind): string[] {
    return this.#left[kind].splice(0).map(({ text }) => text);
  }
}

function kindOf(key: string, { format }: JsonSchema): ValueKind | undefined {
  const last = lastWord(key);
  const byFormat = typeof format === 'string' ? KINDS.find((one) => one.format.test(format)) : undefined;
  return (byFormat ?? KINDS.find((one) => one.name.test(last)))?.kind;
}

function isText(property: JsonSchema): boolean {
  return typesOf(property)?.includes('string') ?? false;
}

function isNumeric(property: JsonSchema): boolean {
  return typesOf(property)?.some((type) => type === 'integer' || type === 'number') ?? false;
}

function numberOf(property: JsonSchema, value: StatedValue | undefined): number | undefined {
  if (!value) return undefined;
  const number = Number(value.text);
  return property.type === 'integer' && !Number.isInteger(number) ? undefined : number;
}

/** `maxLines` and `max_lines` end in `lines`. */
function lastWord(key: string): string {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]/);
  return words.at(-1) ?? '';
}

function sameWord(a: string, b: string): boolean {
  return a !== '' && b !== '' && singular(a) === singular(b);
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word;
}
