import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Json } from '../../src/json.ts';

/** A recorded call and its answer. */
export interface RecordedCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Record<string, Json>;
  readonly result: Json;
}

/** A recorded sequence of calls. */
export interface Item {
  readonly id: string;
  readonly calls: readonly RecordedCall[];
}

export interface Tool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

/** Reads the sequences of several calls, from beside the repository or where `PML_DATA` says. */
export function readData(): { items: Item[]; tools: Tool[] } {
  const beside = resolve(import.meta.dirname, '../../../shared/data');
  const folder = join(process.env.PML_DATA ?? beside, 'procedures');
  if (!existsSync(folder))
    throw new Error(`There is no data in ${folder}. Set PML_DATA to the folder that holds procedures/.`);
  const items = readLines<Item>(join(folder, 'dev.items.jsonl')).filter(({ calls }) => calls.length > 1);
  return { items, tools: readLines<Tool>(join(folder, 'tools.jsonl')) };
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

/** The same sequence with other data: equal values stay equal, and each keeps its length and kind. Turn 0 changes nothing. */
export function mutate(item: Item, turn: number): Item {
  if (turn === 0) return item;
  const calls = item.calls.map(({ args, result = null, ...call }) => ({
    ...call,
    args: shift(args, turn) as Record<string, Json>,
    result: shift(result, turn),
  }));
  return { ...item, calls };
}

function shift(value: Json, by: number): Json {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 7 * by : value + by;
  if (typeof value === 'string') return value.replace(/[A-Za-z0-9]/g, (char) => rotate(char, by));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => shift(one, by));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shift(one, by)]));
}

function rotate(char: string, by: number): string {
  const [first, size] = /\d/.test(char) ? ['0', 10] : /[a-z]/.test(char) ? ['a', 26] : ['A', 26];
  const start = first.charCodeAt(0);
  return String.fromCharCode(start + ((char.charCodeAt(0) - start + by) % size));
}
