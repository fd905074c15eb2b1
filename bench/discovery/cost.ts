import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DiscoveryEntry, DiscoveryIndex } from '../../src/discovery/index.ts';
import { inTimeSlices } from '../../src/workspace/search/time-slices.ts';
import { percentile } from '../support/stats.ts';

export interface Cost {
  entries: number;
  /** Milliseconds of a search. */
  p50: number;
  p95: number;
  /** The same in processor time, which other programs on the machine disturb less. */
  cpuP95: number;
  /** Milliseconds of processor time: for all entries, for all again unchanged, for one that changed. */
  build: number;
  unchanged: number;
  update: number;
  /** The longest turn of the event loop while the index was built, and the longest search, in processor time. */
  longestTurn: number;
  longestSearch: number;
  megabytes: number;
}

const UPDATES = 200;

/** Repeats the tools under other servers until there are enough. */
export function manyEntries(tools: readonly DiscoveryEntry[], count: number): DiscoveryEntry[] {
  return Array.from({ length: count }, (_, at) => {
    // Seven and the number of tools have no common divisor, so the sets are mixed.
    const tool = tools[(at * 7) % tools.length] as DiscoveryEntry;
    const copy = Math.floor(at / tools.length);
    return { ...tool, id: `${tool.id} ${at}`, server: copy === 0 ? tool.server : `${tool.server} ${copy}` };
  });
}

export async function measureCost(
  entries: readonly DiscoveryEntry[],
  queries: readonly string[],
): Promise<Cost> {
  const before = await usedBytes();
  const index = new DiscoveryIndex();
  const began = cpuMs();
  // In time slices, as a workspace builds its index.
  const building = inTimeSlices(entries, (entry) => index.put(entry));
  const longestTurn = await longestTurnUntil(building);
  const build = cpuMs() - began;
  const megabytes = ((await usedBytes()) - before) / 1e6;
  const again = cpuMs();
  await inTimeSlices(entries, (entry) => index.put(entry));
  const unchanged = cpuMs() - again;
  const { wall, cpu } = searchTimes(index, queries);
  return {
    entries: entries.length,
    p50: percentile(wall, 0.5),
    p95: percentile(wall, 0.95),
    cpuP95: percentile(cpu, 0.95),
    build,
    unchanged,
    update: updateMs(index, entries),
    longestTurn,
    longestSearch: Math.max(...cpu),
    megabytes,
  };
}

function searchTimes(index: DiscoveryIndex, queries: readonly string[]): { wall: number[]; cpu: number[] } {
  const search = (query: string) => index.search({ intents: [query], limit: 10 });
  for (const query of queries.slice(0, 200)) search(query);
  const wall: number[] = [];
  const cpu: number[] = [];
  for (const query of queries) {
    const [began, cpuBegan] = [performance.now(), cpuMs()];
    search(query);
    cpu.push(cpuMs() - cpuBegan);
    wall.push(performance.now() - began);
  }
  return { wall, cpu };
}

function updateMs(index: DiscoveryIndex, entries: readonly DiscoveryEntry[]): number {
  const began = cpuMs();
  for (let at = 0; at < UPDATES; at++) {
    const entry = entries[(at * 37) % entries.length] as DiscoveryEntry;
    index.put({ ...entry, description: `${entry.description} Changed ${at} times.` });
  }
  return (cpuMs() - began) / UPDATES;
}

async function longestTurnUntil(done: Promise<void>): Promise<number> {
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  let longest = 0;
  for (let last = cpuMs(); !isDone; ) {
    await nextTurn();
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

/** The processor time of this thread alone: garbage collection in other threads keeps nobody waiting. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function usedBytes(): Promise<number> {
  // Twice, because the second collection frees what the first one finalised.
  globalThis.gc?.();
  await nextTurn();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
