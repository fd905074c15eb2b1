/**
 * Measures the dashboard in Chromium: its first load, its tables on large homes, its graph, and what an open page costs.
 *
 *   node bench/dashboard.ts [--smoke] [--json]
 */
import { cpus, loadavg } from 'node:os';
import { measureHome } from './dashboard/measure-home.ts';
import { measureLive } from './dashboard/measure-live.ts';
import { openBench } from './dashboard/open-bench.ts';
import { benchOptions } from './support/options.ts';
import { short, table } from './support/stats.ts';

const HELP = `node bench/dashboard.ts [options]
  --smoke   a home of 200 capabilities and 2,000 calls, and short rounds
  --json    print JSON alone
Each home is filled by SQL (bench/dashboard/seed.ts). "first load" is an empty cache: all bytes and requests until the page rests.
"useful" is the time from the navigation to the first figures or rows on the page. A frame is the time between two frames
while the table is scrolled or the graph is dragged. "live" calls an echo server over HTTP, in turns without a page and with one
on /runs, which shows the latest ones; on a busy machine the processor time of Chromium says more.
Goals: first load of at most 120 KB, useful in under a second, a live page costs under 3 % of the calls per second.
`;

const values = benchOptions(HELP, {});
const sizes = values.smoke
  ? [{ capabilities: 200, rows: 2000 }]
  : [
      { capabilities: 1000, rows: 10_000 },
      { capabilities: 100_000, rows: 1_000_000 },
    ];

const bench = await openBench();
try {
  const homes = [];
  for (const size of sizes) homes.push(await measureHome(bench, size));
  const live = await measureLive(bench, values.smoke ? { rounds: 1, ms: 500 } : { rounds: 7, ms: 3000 });
  const machine = { cpus: cpus().length, node: process.version, load: loadavg()[0] as number };
  if (!values.json) process.stdout.write(`${print(homes, live)}\n\n`);
  process.stdout.write(`${JSON.stringify({ bench: 'dashboard', machine, homes, live })}\n`);
} finally {
  await bench.close();
}

function print(
  homes: readonly Awaited<ReturnType<typeof measureHome>>[],
  live: Awaited<ReturnType<typeof measureLive>>,
): string {
  const figures: [string, (home: (typeof homes)[number]) => string][] = [
    ['first load (KB)', (home) => short(home.load.bytes / 1024)],
    ['first load (requests)', (home) => String(home.load.requests)],
    ['overview useful (ms)', (home) => short(home.load.usefulMs)],
    ['capabilities useful (ms)', (home) => short(home.capabilities.usefulMs)],
    ['  next page of 100 rows (ms)', (home) => short(home.capabilities.pageMs)],
    ['  frame while scrolling, p95 (ms)', (home) => short(home.capabilities.frameMs)],
    ['journal useful (ms)', (home) => short(home.runs.usefulMs)],
    ['graph (nodes)', (home) => String(home.graph.nodes)],
    ['  frame while dragging, p50 (ms)', (home) => short(home.graph.frameMs)],
    ['  frame while dragging, p95 (ms)', (home) => short(home.graph.frameP95Ms)],
  ];
  const head = [
    '',
    ...homes.map((home) => `${home.size.capabilities} capabilities, ${home.size.rows} calls`),
  ];
  const rows = figures.map(([name, of]) => [name, ...homes.map(of)]);
  const cost = `live page: ${short(live.with)} calls/s with it, ${short(live.without)} without, ${short(100 * (1 - live.with / live.without))} % less`;
  const browser = `Chromium takes ${short(live.browserMs)} ms of processor time a second for that page`;
  return `${table([head, ...rows])}\n\n${cost}\n${browser}`;
}
