/** Measures the cost of PML, each figure beside the same thing without PML, measured in the same run. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type CallRow, measureWay, waysOf } from './gateway/calls.ts';
import { type ListRow, measureLists } from './gateway/lists.ts';
import { type MemoryRow, measureMemory } from './gateway/memory.ts';
import { callTable, memoryTable, printReport } from './gateway/report.ts';
import { measureStartup, type StartupRow } from './gateway/startup.ts';
import type { Command } from './support/clients.ts';
import { Home, start } from './support/home.ts';
import { benchOptions } from './support/options.ts';
import { type Machine, observeMachine, writeToPage } from './support/performance-page.ts';

export interface Report {
  machine: Machine;
  calls: CallRow[];
  startup: StartupRow[];
  lists: ListRow[];
  memory: MemoryRow[];
}

const SECTIONS = ['calls', 'startup', 'lists', 'memory'];
const HELP = `node bench/gateway.ts [options]
  --only LIST  of ${SECTIONS.join()}
  --quick      fewer rounds
  --smoke      next to nothing, to see that it works
  --json       print JSON alone
  --write      put the tables of calls and memory into docs/performance.md
Measures relayed calls, the start of a session, long lists and memory through PML beside the same without PML.
`;
const values = benchOptions(HELP, {
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: SECTIONS.join() },
  write: { type: 'boolean', default: false },
});
const wanted = values.only.split(',');

const FULL = {
  calls: { rounds: 7, ms: 600 },
  starts: { warm: 15, cold: 5 },
  lists: { tools: 10_000, rounds: 11 },
  memory: [10_000, 50_000, 100_000],
};
const QUICK: typeof FULL = {
  calls: { rounds: 3, ms: 300 },
  starts: { warm: 5, cold: 2 },
  lists: { tools: 10_000, rounds: 5 },
  memory: [2000, 10_000],
};
const SMOKE: typeof FULL = {
  calls: { rounds: 1, ms: 20 },
  starts: { warm: 1, cold: 1 },
  lists: { tools: 200, rounds: 1 },
  memory: [100, 200],
};
const size = values.smoke ? SMOKE : values.quick ? QUICK : FULL;

const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

function fixture(file: string, ...args: string[]): Command {
  return node(fileURLToPath(new URL(`fixtures/${file}`, import.meta.url)), ...args);
}

function node(...args: string[]): Command {
  return { command: process.execPath, args };
}

function say(text: string): void {
  if (!values.json) process.stderr.write(`${text}\n`);
}

const stdio = { mini: fixture('echo-stdio.ts', 'legacy'), everything: node(EVERYTHING, 'stdio') };

async function calls(): Promise<CallRow[]> {
  const port = 20_000 + (process.pid % 20_000);
  const servers = await Promise.all([
    start(fixture('echo-http.ts', 'legacy'), /(http:\S+)/),
    start(fixture('echo-http.ts', 'modern'), /(http:\S+)/),
    start({ ...node(EVERYTHING, 'streamableHttp'), env: { PORT: String(port) } }, /listening on port (\d+)/),
  ]);
  const http = {
    mini_legacy: servers[0].found[0] as string,
    mini_modern: servers[1].found[0] as string,
    everything_http: `http://127.0.0.1:${port}/mcp`,
  };
  const overHttp = Object.fromEntries(Object.entries(http).map(([name, url]) => [name, { url }]));
  const home = new Home({ ...stdio, ...overHttp });
  try {
    const up = await home.up();
    servers.push(up);
    const ways = waysOf({ stdio, http, serve: home.command('serve'), url: up.found[0] as string });
    const rows: CallRow[] = [];
    say('warming up …');
    for (const way of values.smoke ? [] : ways) await measureWay(way, 1, 100);
    for (const way of values.smoke ? ways.filter(({ upstream }) => upstream === 'mini') : ways) {
      say(`${way.way}, ${way.upstream}, ${way.client} …`);
      rows.push(...(await measureWay(way, size.calls.rounds, size.calls.ms)));
    }
    return rows;
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()));
    await home.close();
  }
}

const observed = observeMachine();
const report: Report = {
  machine: observed(),
  calls: [],
  startup: [],
  lists: [],
  memory: [],
};
if (wanted.includes('calls')) report.calls = await calls();
if (wanted.includes('startup')) {
  say('start …');
  report.startup = await measureStartup({ ...stdio }, size.starts);
}
if (wanted.includes('lists')) {
  const { tools, rounds } = size.lists;
  say(`${tools} tools …`);
  report.lists = [await measureLists(fixture('echo-stdio.ts', 'legacy', String(tools)), tools, rounds)];
}
if (wanted.includes('memory')) {
  say('memory …');
  report.memory = await measureMemory(stdio.mini, size.memory);
}
report.machine = observed();
if (values.write) {
  if (report.calls.length > 0) writeToPage('bench calls', report.machine, callTable(report.calls));
  if (report.memory.length > 0) writeToPage('bench memory', report.machine, memoryTable(report.memory));
}

if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else printReport(report);
