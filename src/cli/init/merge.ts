import { isDeepStrictEqual } from 'node:util';
import type { Entry } from './convert.ts';
import type { ClientFile } from './paths.ts';
import type { FoundServer } from './read.ts';

export interface Candidate {
  name: string;
  entry: Entry;
  from: ClientFile[];
  notes: string[];
}

/** One candidate for each server: equal ones become one, others of the same name get a name of their own. */
export function mergeServers(found: readonly FoundServer[]): Candidate[] {
  const candidates: Candidate[] = [];
  const firstNames = new Map<Candidate, string>();
  for (const { name, entry, from, notes } of found) {
    const namesakes = candidates.filter((each) => firstNames.get(each) === name);
    const twin = namesakes.find((each) => isDeepStrictEqual(each.entry, entry));
    if (twin) {
      twin.from.push(from);
      twin.notes = [...new Set([...twin.notes, ...notes])];
      continue;
    }
    const taken = new Set([...candidates.map((each) => each.name), ...found.map((each) => each.name)]);
    const own = namesakes.length === 0 ? name : freeName(name, from, taken);
    const renamed = own === name ? [] : [`another server is called ${name}`];
    const candidate = { name: own, entry, from: [from], notes: [...renamed, ...notes] };
    firstNames.set(candidate, name);
    candidates.push(candidate);
  }
  return candidates;
}

/** github → github-cursor, then github-cursor-2. */
function freeName(name: string, from: ClientFile, taken: ReadonlySet<string>): string {
  const client = from.client.toLowerCase().replace(/[^a-z]+/g, '-');
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? `-${client}` : `-${client}-${count}`;
    const free = name.slice(0, 64 - suffix.length) + suffix;
    if (!taken.has(free)) return free;
  }
}
