import type { Report } from '../gateway.ts';
import { short, table } from '../support/stats.ts';

/** The goals for the gateway. */
const GOALS = { p50: 1.5, addedMs: 1, warmStart: 3 };

export function printReport({ machine, calls, startup, lists, memory }: Report): void {
  const { cpus, node, loadBefore, loadAfter } = machine;
  print(`${cpus} cores, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after\n`);
  if (calls.length > 0) printCalls(calls);
  if (startup.length > 0) printStartup(startup);
  if (lists.length > 0) printLists(lists);
  if (memory.length > 0) printMemory(memory);
}

function printCalls(rows: Report['calls']): void {
  print(`A call, ms. Goal: p50 within ${GOALS.p50}× of direct and under ${GOALS.addedMs} ms added.`);
  print(`${table(callTable(rows))}\n`);
}

/** The table of relayed calls; the last column names the goals that were missed. */
export function callTable(rows: Report['calls']): string[][] {
  const heads = [
    '',
    'callers',
    'direct p50',
    'PML p50',
    '×',
    'added',
    'direct p95',
    'PML p95',
    '×',
    'direct /s',
    'PML /s',
    'missed',
  ];
  return [
    heads,
    ...rows.map(({ way, upstream, client, callers, direct, pml, ratio, addedMs }) => [
      `${way}, ${upstream}, ${client}`,
      String(callers),
      short(direct.p50),
      short(pml.p50),
      short(ratio.p50),
      short(addedMs),
      short(direct.p95),
      short(pml.p95),
      short(ratio.p95),
      short(direct.perSecond),
      short(pml.perSecond),
      [ratio.p50 > GOALS.p50 && 'ratio', addedMs > GOALS.addedMs && 'added'].filter(Boolean).join(', '),
    ]),
  ];
}

function printStartup(rows: Report['startup']): void {
  print(
    `From spawning pml serve to an answered tools/list, ms. Goal: warm within ${GOALS.warmStart}× of node -e 0.`,
  );
  printTable(
    ['', 'PML', 'node -e 0', '×'],
    rows.map(({ start, ms, bareNodeMs, ratio }) => [start, short(ms), short(bareNodeMs), short(ratio)]),
  );
}

function printLists(rows: Report['lists']): void {
  print('A whole tools/list, ms.');
  printTable(
    ['tools', 'pages', 'direct', 'PML', '×'],
    rows.map(({ tools, pages, directMs, pmlMs, ratio }) => [
      String(tools),
      String(pages),
      short(directMs),
      short(pmlMs),
      short(ratio),
    ]),
  );
}

function printMemory(rows: Report['memory']): void {
  print('Memory of the daemon, MB, and against a Node process that does nothing. Goal: no growth.');
  print(`${table(memoryTable(rows))}\n`);
}

/** The table of the daemon's memory. */
export function memoryTable(rows: Report['memory']): string[][] {
  const lines = rows.map(({ calls, rss, heapUsed, external, ratio }) => [
    String(calls),
    mb(rss),
    short(ratio.rss),
    mb(heapUsed),
    short(ratio.heapUsed),
    mb(external),
  ]);
  return [['calls', 'RSS', '×', 'heap used', '×', 'external'], ...lines];
}

function printTable(heads: string[], rows: string[][]): void {
  print(`${table([heads, ...rows])}\n`);
}

function mb(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
