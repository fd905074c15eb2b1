import { isDeepStrictEqual } from 'node:util';
import type { ClientFile } from './client-files.ts';
import type { Entry } from './convert-entry.ts';
import type { FoundServer } from './read-client-servers.ts';

export interface Candidate {
  name: string;
  entry: Entry;
  from: ClientFile[];
  notes: string[];
  /** Every client that has it has switched it off. */
  isDisabled: boolean;
}

/** Makes one candidate of equal servers, whatever they are called. Different servers of the same name get names of their own. */
export function mergeServers(found: readonly FoundServer[]): Candidate[] {
  const candidates: Candidate[] = [];
  const firstNames = new Map<Candidate, string>();
  for (const { name, entry, from, notes, isDisabled } of found) {
    const namesakes = candidates.filter((each) => firstNames.get(each) === name);
    const same = [...namesakes, ...candidates].find((each) => isDeepStrictEqual(each.entry, entry));
    if (same) {
      const other = name === firstNames.get(same) ? [] : [`is called ${name} in ${from.client}`];
      same.from.push(from);
      same.notes = [...new Set([...same.notes, ...other, ...notes])];
      same.isDisabled &&= isDisabled;
      continue;
    }
    const taken = new Set([...candidates.map((each) => each.name), ...found.map((each) => each.name)]);
    const own = namesakes.length === 0 ? name : freeName(name, from, taken);
    const renamed = own === name ? [] : [`another server is called ${name}`];
    const candidate = { name: own, entry, from: [from], notes: [...renamed, ...notes], isDisabled };
    firstNames.set(candidate, name);
    candidates.push(candidate);
  }
  return candidates;
}

/** Finds a free name: github-cursor, then github-cursor-2. */
function freeName(name: string, from: ClientFile, taken: ReadonlySet<string>): string {
  const client = from.client.toLowerCase().replace(/[^a-z]+/g, '-');
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? `-${client}` : `-${client}-${count}`;
    const free = name.slice(0, 64 - suffix.length) + suffix;
    if (!taken.has(free)) return free;
  }
}
