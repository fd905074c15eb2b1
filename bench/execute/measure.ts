import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurns, median, percentile } from '../support/stats.ts';
import { bare, type Contender, fresh, sandboxed, worker } from './contenders.ts';

/** The shortest pause of an agent between two runs: long enough to make the next isolate. */
const PAUSE_MS = 15;
const ROW = 20;

export interface RunRow {
  what: string;
  against: string;
  sandbox: { p50: number; p95: number };
  other: { p50: number; p95: number };
  /** How many times faster the sandbox is. */
  faster: number;
  /** The goal: at least this many times. */
  goal: number | undefined;
}

export interface Throughput {
  runs: number;
  inFlight: number;
  perSecond: number;
  barePerSecond: number;
  ratio: number;
}

export interface MemoryRow {
  runs: number;
  hostMb: number;
  childrenMb: number;
  /** Compared with the first row. */
  ratio: number;
}

type Act = () => Promise<unknown>;
/** Another way to run code, and how many times faster the sandbox should be. */
type Rival = [other: Contender, goal?: number];
type What = 'trivial' | 'call' | 'large';

/** Runs each way in turn, so that other load on the machine affects them alike. */
export async function measureRuns(rounds: number): Promise<RunRow[]> {
  const ours = sandboxed();
  const rows: RunRow[] = [];
  const compare = async (
    what: What,
    label: string,
    others: Rival[],
    take: (act: Act) => Act,
    times = rounds,
  ) => {
    const ways = [ours, ...others.map(([other]) => other)].map(
      (one) => take(one[what] as Act) as () => Promise<number>,
    );
    await inTurns(2, ways);
    const taken = (await inTurns(times, ways)).map((ms) => ({ p50: median(ms), p95: percentile(ms, 0.95) }));
    const [sandbox, ...theirs] = taken as [RunRow['sandbox'], ...RunRow['other'][]];
    for (const [index, [{ name: against }, goal]] of others.entries()) {
      const other = theirs[index] as RunRow['other'];
      rows.push({ what: label, against, sandbox, other, faster: other.p50 / sandbox.p50, goal });
    }
  };
  try {
    const all: Rival[] = [
      [bare, 1],
      [worker, 5],
      [fresh, 10],
    ];
    const toBare: Rival[] = [[bare]];
    await compare('trivial', 'trivial', all, afterPause);
    await compare('call', 'one call out', all, afterPause);
    await compare('trivial', `trivial, ${ROW} in a row, each`, toBare, inARow, Math.ceil(rounds / 4));
    await compare('call', `one call out, ${ROW} in a row, each`, toBare, inARow, Math.ceil(rounds / 4));
    await compare('large', '10 MB result', toBare, afterPause, Math.ceil(rounds / 5));
  } finally {
    await ours.close?.();
  }
  return rows;
}

/** Times one run after a pause. */
function afterPause(act: Act): () => Promise<number> {
  return async () => {
    await sleep(PAUSE_MS);
    const start = performance.now();
    await act();
    return performance.now() - start;
  };
}

/** Times one of many runs without a pause, where no isolate can be made in advance. */
function inARow(act: Act): () => Promise<number> {
  return async () => {
    const start = performance.now();
    for (let i = 0; i < ROW; i++) await act();
    return (performance.now() - start) / ROW;
  };
}

/** Times many parallel runs in the sandbox, and in isolated-vm in one process without any of its protection. */
export async function measureThroughput(runs: number, inFlight: number): Promise<Throughput> {
  const ours = sandboxed();
  const perSecond = async (run: () => Promise<unknown>) => {
    const start = performance.now();
    let left = runs;
    const work = async () => {
      while (left-- > 0) await run();
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    return (runs / (performance.now() - start)) * 1000;
  };
  try {
    await perSecond(ours.trivial);
    const [mine, theirs] = await inTurns(3, [() => perSecond(ours.trivial), () => perSecond(bare.trivial)]);
    const [sandbox, other] = [median(mine ?? []), median(theirs ?? [])];
    return { runs, inFlight, perSecond: sandbox, barePerSecond: other, ratio: sandbox / other };
  } finally {
    await ours.close?.();
  }
}

/** Measures the memory of host and children after some numbers of runs. */
export async function measureMemory(after: readonly number[]): Promise<MemoryRow[]> {
  const ours = sandboxed(2);
  const rows: MemoryRow[] = [];
  let done = 0;
  try {
    for (const runs of after) {
      const work = async () => {
        while (done++ < runs) await ours.call();
      };
      await Promise.all([work(), work()]);
      done = runs;
      global.gc?.();
      const hostMb = process.memoryUsage().heapUsed / 1024 / 1024;
      const childrenMb = ours.stats().reduce((sum, { pid }) => sum + (pid ? rssMb(pid) : 0), 0);
      rows.push({
        runs,
        hostMb,
        childrenMb,
        ratio: (hostMb + childrenMb) / ((rows[0]?.hostMb ?? hostMb) + (rows[0]?.childrenMb ?? childrenMb)),
      });
    }
    return rows;
  } finally {
    await ours.close?.();
  }
}

function rssMb(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}
