import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DiscoveryEntry } from '../../src/discovery/index.ts';
import type { JsonSchema } from '../../src/json.ts';

export interface Query {
  readonly id: string;
  readonly query: string;
  readonly gold: readonly string[];
  /** Each inner list is one needed tool; any id in it counts. */
  readonly groups?: readonly (readonly string[])[];
}

export interface DataSet {
  readonly name: string;
  readonly entries: readonly DiscoveryEntry[];
  readonly queries: readonly Query[];
}

interface ToolLine {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export const SETS = ['azure-mcp', 'toolbench', 'bfcl'] as const;

/** Finds the data beside the repository, or where `PML_DATA` says. */
export function dataFolder(): string {
  return resolve(process.env.PML_DATA ?? join(import.meta.dirname, '../../../shared/data'));
}

export function readSets(queries: string): DataSet[] {
  const folder = dataFolder();
  if (!existsSync(join(folder, SETS[0])))
    throw new Error(`There is no data in ${folder}. PML_DATA names the folder that holds azure-mcp/.`);
  return SETS.map((name) => ({
    name,
    entries: readLines<ToolLine>(join(folder, name, 'tools.jsonl')).map(entryOf),
    queries: readLines<Query>(join(folder, name, queries)),
  }));
}

function entryOf({ id, server, name, description, inputSchema }: ToolLine): DiscoveryEntry {
  return { id, kind: 'tool', server, name, description, inputSchema };
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}
