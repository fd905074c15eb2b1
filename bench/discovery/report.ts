import type { Report } from '../discovery.ts';
import { short, table } from '../support/stats.ts';
import type { Cost } from './cost.ts';
import type { Quality, Threshold } from './quality.ts';

/** The figures of the sets' authors: hit@1, recall@5, MRR. */
const BASELINES: Readonly<Record<string, Readonly<Record<string, readonly [number, number, number]>>>> = {
  'azure-mcp': { MiniSearch: [72, 95, 82], ts_rank: [60, 87, 72], BM25F: [76, 97, 85], MiniLM: [75, 95, 84] },
  toolbench: { MiniSearch: [17, 23, 26], ts_rank: [53, 57, 65], BM25F: [68, 71, 78], MiniLM: [60, 59, 70] },
  bfcl: { MiniSearch: [60, 76, 68], ts_rank: [58, 78, 68], BM25F: [70, 86, 78], MiniLM: [58, 81, 69] },
};
const GOALS: Readonly<Record<string, Partial<Quality>>> = {
  'azure-mcp': { hit1: 78 },
  toolbench: { recall5: 73 },
  bfcl: { hit1: 73 },
};
const EMBEDDING_GOALS: typeof GOALS = {
  'azure-mcp': { hit1: 88 },
  toolbench: { recall5: 78 },
  bfcl: { hit1: 77 },
};
/** Milliseconds of processor time that one turn of the event loop may take. */
const MAX_TURN = 10;
/** Milliseconds of the 95th percentile. */
const COST_GOALS: Readonly<Record<number, number>> = { 3000: 2, 10000: 5, 100000: 25 };

export function printReport(report: Report): void {
  const { machine, quality, withEmbeddings, thresholds, nothingFits, costs } = report;
  const { cpus, node, loadBefore, loadAfter } = machine;
  print(`${cpus} cores, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after`);
  print(
    'A figure that misses its goal is followed by !. Baselines are those of the data, on all their queries.',
  );
  const heads = ['set', 'tools', 'queries', 'hit@1', 'hit@5', 'recall@5', 'recall@10', 'MRR'];
  print(table([heads, ...quality.flatMap((one) => [qualityCells(one, GOALS), ...baselineRows(one)])]));
  if (withEmbeddings.length > 0) {
    print('With embeddings:');
    print(table([heads, ...withEmbeddings.map((one) => qualityCells(one, EMBEDDING_GOALS))]));
  }
  const titles = ['first hit at least', 'right kept, %', 'refused of those to other sets, %'];
  print(table([titles, ...thresholds.map((one) => thresholdCells(one, nothingFits))]));
  const columns = [
    'entries',
    'p50 ms',
    'p95 ms',
    'p95 CPU ms',
    'build s',
    'again s',
    'update ms',
    'turn ms',
    'search max ms',
    'MB',
  ];
  print(table([columns, ...costs.map(costCells)]));
}

function qualityCells(quality: Quality, goals: typeof GOALS): string[] {
  const { set, tools, queries, hit1, hit5, recall5, recall10, mrr } = quality;
  const goal = goals[set] ?? {};
  return [
    set,
    `${tools}`,
    `${queries}`,
    marked(hit1, hit1 < (goal.hit1 ?? 0)),
    `${hit5}`,
    marked(recall5, recall5 < (goal.recall5 ?? 0)),
    `${recall10}`,
    `${mrr}`,
  ];
}

function baselineRows({ set }: Quality): string[][] {
  return Object.entries(BASELINES[set] ?? {}).map(([name, [first, recall, rank]]) => {
    return [`  ${name}`, '', '', `${first}`, '', `${recall}`, '', `${rank}`];
  });
}

function thresholdCells({ score, rightKept, foreignRefused }: Threshold, nothingFits: number): string[] {
  return [`${score}${score === nothingFits ? ' (nothing fits)' : ''}`, `${rightKept}`, `${foreignRefused}`];
}

function costCells(cost: Cost): string[] {
  const { entries, p50, p95, cpuP95, build, unchanged, update, longestTurn, longestSearch, megabytes } = cost;
  return [
    `${entries}`,
    short(p50),
    marked(short(p95), p95 > (COST_GOALS[entries] ?? Number.POSITIVE_INFINITY)),
    short(cpuP95),
    short(build / 1000),
    short(unchanged / 1000),
    short(update),
    marked(short(longestTurn), longestTurn > MAX_TURN),
    marked(short(longestSearch), longestSearch > MAX_TURN),
    short(megabytes),
  ];
}

function marked(value: string | number, isMissed: boolean): string {
  return `${value}${isMissed ? '!' : ''}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
