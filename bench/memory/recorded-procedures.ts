import type { Json } from '../../src/json.ts';
import { Choices } from '../../src/testing/programs/choices.ts';
import { PLAIN_STYLE } from '../../src/testing/programs/styles/procedure.ts';
import { writeProgram } from '../../src/testing/programs/styles/write-program.ts';
import { type Data, type Item, procedureOf, skeletonOf } from '../learning/data.ts';
import type { MemoryProcedure, Use } from './procedures.ts';

/** The procedures that the record holds at least twice. Those it holds once serve as near-misses. */
export function recordedProcedures(data: Data, most: number): MemoryProcedure[] {
  const groups = [...Map.groupBy(data.items, (item) => skeletonOf(procedureOf(item, 'link')))];
  const once = groups.flatMap(([, items]) => (items.length === 1 ? items : []));
  return groups
    .filter(([, items]) => items.length > 1)
    .slice(0, most)
    .map(([id, [first, repeat]]) => procedureFrom(id, first as Item, repeat as Item, once));
}

function procedureFrom(id: string, first: Item, repeat: Item, once: readonly Item[]): MemoryProcedure {
  return {
    id,
    first: useOf(first),
    repeat: useOf(repeat),
    sameWords: withValuesOf(first, repeat),
    nearMiss: nearest(first, once).intent,
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
  const own = toolsOf(item);
  const closeness = (other: Item) => {
    const theirs = toolsOf(other);
    return own.intersection(theirs).size / own.union(theirs).size;
  };
  return others.reduce((best, other) => (closeness(other) > closeness(best) ? other : best));
}

function toolsOf({ calls }: Item): Set<string> {
  return new Set(calls.map(({ server, tool }) => `${server}:${tool}`));
}
