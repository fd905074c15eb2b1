import type { Json } from '../../src/json.ts';
import { Choices } from '../../src/testing/programs/choices.ts';
import { PLAIN_STYLE } from '../../src/testing/programs/styles/procedure.ts';
import { writeProgram } from '../../src/testing/programs/styles/write-program.ts';
import { type Data, type Item, procedureOf, skeletonOf } from '../learning/data.ts';
import type { MemoryProcedure, Use } from './procedures.ts';

/** API-Bank's own way to find a tool. A task is the same with or without it. */
const SEARCHES = new Set(['apibank:ToolSearcher']);

/** The procedures that the record holds at least twice. Those it holds once serve as near-misses. */
export function recordedProcedures(data: Data, most: number): MemoryProcedure[] {
  const groups = [...Map.groupBy(data.items, (item) => skeletonOf(procedureOf(item, 'link')))];
  const repeated = groups.filter(([, items]) => items.length > 1);
  const known = new Set(repeated.map(([, items]) => toolsOf(items[0] as Item).join()));
  const others = data.items.filter((item) => !known.has(toolsOf(item).join()));
  return repeated
    .slice(0, most)
    .map(([id, [first, repeat]]) => procedureFrom(id, first as Item, repeat as Item, others));
}

function procedureFrom(id: string, first: Item, repeat: Item, others: readonly Item[]): MemoryProcedure {
  return {
    id,
    task: taskOf(first),
    first: useOf(first),
    repeat: useOf(repeat),
    sameWords: withValuesOf(first, repeat),
    nearMiss: nearest(first, others).intent,
  };
}

function useOf(item: Item): Use {
  const procedure = procedureOf(item, 'link');
  return {
    intent: item.intent,
    calls: item.calls,
    code: writeProgram(procedure, PLAIN_STYLE, Choices.seeded(item.id)).source,
    results: item.calls.map(({ result }) => result ?? null),
  };
}

/** Puts the repeat's values where the words of the first item state its own. */
function withValuesOf(first: Item, repeat: Item): string {
  const pairs = first.calls.flatMap(({ args }, at) =>
    Object.entries(args).map(([key, value]): [Json, Json] => [value, repeat.calls[at]?.args[key] ?? value]),
  );
  return pairs
    .filter(([from, to]) => isPlain(from) && isPlain(to))
    .sort(([a], [b]) => String(b).length - String(a).length)
    .reduce((text, [from, to]) => text.replaceAll(String(from), String(to)), first.intent);
}

function isPlain(value: Json): boolean {
  return (typeof value === 'string' && value.length > 1) || typeof value === 'number';
}

/** The item that shares most of its tools. */
function nearest(item: Item, others: readonly Item[]): Item {
  const own = new Set(toolsOf(item));
  const closeness = (other: Item) => {
    const theirs = new Set(toolsOf(other));
    const shared = [...own].filter((tool) => theirs.has(tool)).length;
    return shared / (own.size + theirs.size - shared);
  };
  return others.reduce((best, other) => (closeness(other) > closeness(best) ? other : best));
}

/** The same tools in order with the same arguments, wherever their values come from. */
function taskOf(item: Item): string {
  const keys = item.calls.map(({ args }) => Object.keys(args).sort().join());
  const names = item.calls.map(({ server, tool }) => `${server}:${tool}`);
  return names.flatMap((name, at) => (SEARCHES.has(name) ? [] : `${name}(${keys[at]})`)).join(' ');
}

function toolsOf({ calls }: Item): string[] {
  return calls.map(({ server, tool }) => `${server}:${tool}`).filter((name) => !SEARCHES.has(name));
}
