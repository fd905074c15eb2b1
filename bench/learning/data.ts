import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Json, JsonSchema } from '../../src/json.ts';
import { hash32 } from '../../src/testing/programs/choices.ts';
import type {
  ArgumentValue,
  Procedure,
  ProcedureCall,
  ResultForm,
} from '../../src/testing/programs/styles/procedure.ts';

/** A recorded sequence of calls. */
export interface Item {
  readonly ds: string;
  readonly id: string;
  readonly intent: string;
  /** All that the user said so far. */
  readonly said: string;
  readonly calls: readonly { server: string; tool: string; args: Record<string, Json>; result?: Json }[];
}

export interface Tool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface Data {
  readonly folder: string;
  /** The items with several calls. */
  readonly items: readonly Item[];
  /** By `server:tool`. */
  readonly tools: ReadonlyMap<string, Tool>;
}

/** How an argument that an earlier call returned is written. */
export type LinkMode = 'link' | 'literal';

/** Finds the data beside the repository, or where `PML_DATA` says. */
export function dataFolder(): string {
  const beside = resolve(import.meta.dirname, '../../../shared/data');
  return join(process.env.PML_DATA ?? beside, 'procedures');
}

export function readData(folder = dataFolder()): Data {
  if (!existsSync(join(folder, 'dev.items.jsonl')))
    throw new Error(
      `There is no data in ${folder}. Set PML_DATA to the folder that holds procedures/dev.items.jsonl.`,
    );
  const items = readLines<Item>(join(folder, 'dev.items.jsonl')).filter(({ calls }) => calls.length > 1);
  const tools = readLines<Tool>(join(folder, 'tools.jsonl'));
  return { folder, items, tools: new Map(tools.map((tool) => [`${tool.server}:${tool.name}`, tool])) };
}

function readLines<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/** The item as a procedure. The form of its result follows from its skeleton, so that items of one skeleton do the same. */
export function procedureOf(item: Item, mode: LinkMode): Procedure {
  const calls = item.calls.map((call, at): ProcedureCall => {
    const args = Object.entries(call.args).map(([key, literal]): [string, ArgumentValue] => {
      const source = mode === 'link' ? sourceOf(item, at, literal) : undefined;
      return [key, source ?? { literal }];
    });
    return { ...call, args: Object.fromEntries(args), result: call.result ?? null };
  });
  const forms: ResultForm[] = ['last', 'last', 'object', 'list', 'wrapped'];
  const result = forms[hash32(skeletonOf({ calls, result: 'last' })) % forms.length] as ResultForm;
  return { calls, result };
}

/** Same tools in order, same keys, same links; values, lengths of lists and the order of keys do not count. */
export function skeletonOf({ calls }: Procedure): string {
  return calls
    .map(({ server, tool, args }) => {
      const keys = Object.keys(args)
        .sort()
        .map((key) => `${key}${shapeOf(args[key] as ArgumentValue)}`);
      return `${server}:${tool}(${keys.join(',')})`;
    })
    .join(' ');
}

function shapeOf(value: ArgumentValue): string {
  if ('from' in value) return `=#${value.from}.${value.path.join('.')}`;
  const { literal } = value;
  if (Array.isArray(literal)) return '[]';
  return literal !== null && typeof literal === 'object' ? `{${Object.keys(literal).sort().join()}}` : '';
}

/** Finds the earliest result that holds a value which the user did not say and which does not occur by chance. */
function sourceOf(item: Item, before: number, value: Json): ArgumentValue | undefined {
  if (!isOdd(value) || item.said.includes(String(value))) return undefined;
  for (const [from, { result }] of item.calls.slice(0, before).entries()) {
    const path = pathTo(value, result ?? null);
    if (path) return { from, path };
  }
  return undefined;
}

function isOdd(value: Json): boolean {
  if (typeof value === 'string') return value.length >= 6 || (value.length >= 4 && /\d/.test(value));
  return typeof value === 'number' && (!Number.isInteger(value) || Math.abs(value) >= 1000);
}

/** A path without an index comes before one with. */
function pathTo(value: Json, within: Json): (string | number)[] | undefined {
  const found: (string | number)[][] = [];
  const visit = (inside: Json, path: (string | number)[]): void => {
    if (inside === value) found.push(path);
    else if (Array.isArray(inside)) for (const [at, item] of inside.entries()) visit(item, [...path, at]);
    else if (inside !== null && typeof inside === 'object')
      for (const [key, field] of Object.entries(inside)) visit(field as Json, [...path, key]);
  };
  visit(within, []);
  return found.find((path) => path.every((key) => typeof key === 'string')) ?? found[0];
}

/** The same procedure over other data: every literal is replaced by another of its type, equal ones and equal parts by equal ones. */
export function withOtherData(procedure: Procedure, tools: Data['tools'], seed: string): Procedure {
  const calls = procedure.calls.map((call): ProcedureCall => {
    const schema = tools.get(`${call.server}:${call.tool}`)?.inputSchema;
    const properties = (schema?.properties ?? {}) as Record<string, JsonSchema>;
    const args = Object.entries(call.args).map(([key, value]): [string, ArgumentValue] => [
      key,
      'literal' in value ? { literal: otherValue(value.literal, properties[key], seed) } : value,
    ]);
    return { ...call, args: Object.fromEntries(args) };
  });
  return { ...procedure, calls };
}

function otherValue(value: Json, schema: JsonSchema | undefined, seed: string): Json {
  const choices = (schema?.enum ?? []) as Json[];
  if (choices.length > 0) return choices[hash32(seed) % choices.length] as Json;
  if (typeof value === 'number')
    return Number.isInteger(value) ? value + 1 + (hash32(seed) % 9) : value + 0.25;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return otherText(value, seed);
  if (Array.isArray(value)) return value.map((item) => otherValue(item, undefined, seed));
  if (value === null) return null;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, otherValue(field as Json, undefined, seed)]),
  );
}

/** Another text of the same shape: letters become letters, and digits become digits. */
function otherText(value: string, seed: string): string {
  // An ending such as `.txt` decides what a text is, so it stays.
  const [, stem = value, ending = ''] = /^(.*?)(\.\w{1,4})?$/s.exec(value) ?? [];
  const moved = stem.replace(/[A-Za-z0-9]/g, (letter, at: number) => {
    const base = /\d/.test(letter) ? 48 : /[a-z]/.test(letter) ? 97 : 65;
    const size = base === 48 ? 10 : 26;
    // Dates stay dates: only the last digit of a run of digits moves.
    if (base === 48 && /\d/.test(stem[at + 1] ?? '')) return letter;
    return String.fromCharCode(
      base + ((letter.charCodeAt(0) - base + (hash32(seed) % (size - 1)) + 1) % size),
    );
  });
  return `${moved}${ending}`;
}
