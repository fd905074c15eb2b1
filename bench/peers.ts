/** Compares PML with other gateways in one run. `--help` says more. */
import { fileURLToPath } from 'node:url';
import { installPeers } from './peers/install.ts';
import { measureRelay, type RelayRow } from './peers/relay.ts';
import { relayTable, runTable } from './peers/report.ts';
import { measureRuns, type RunRow } from './peers/runs.ts';
import type { Command } from './support/clients.ts';
import { start } from './support/home.ts';
import { benchOptions } from './support/options.ts';
import { observeMachine, writeToPage } from './support/performance-page.ts';
import { table } from './support/stats.ts';

const HELP = `Usage: npm run bench:peers -- [--rounds 3] [--ms 3000] [--only relay,runs] [--json] [--smoke] [--write]

Measures PML beside supergateway, mcp-proxy, mcp-hub and UTCP code-mode, and beside no gateway, in interleaved rounds of one run:
calls of one echo tool over stdio and HTTP upstreams with 1 and 32 callers, with the processor time of each gateway's processes,
and runs of code. The peers are installed into build/peers. --smoke measures next to nothing, to see that it works, and no peer
that is not installed. --write puts the tables into docs/performance.md.
`;

const values = benchOptions(HELP, {
  rounds: { type: 'string', default: '3' },
  ms: { type: 'string', default: '3000' },
  only: { type: 'string', default: 'relay,runs' },
  write: { type: 'boolean', default: false },
});
await main();

async function main(): Promise<void> {
  if (!values.smoke) installPeers();
  const rounds = values.smoke ? 1 : Number(values.rounds);
  const roundMs = values.smoke ? 30 : Number(values.ms);
  const wanted = values.only.split(',');
  const observed = observeMachine();
  const relay = wanted.includes('relay') ? await relayRows(rounds, roundMs) : [];
  const runs: RunRow[] = [];
  for (const pauseMs of wanted.includes('runs') ? (values.smoke ? [0] : [30, 0]) : [])
    runs.push(...(await measureRuns(fixture('echo-stdio.ts'), values.smoke ? 3 : 40 * rounds, pauseMs)));
  const machine = observed();
  if (values.write && relay.length > 0) writeToPage('bench:peers relay', machine, relayTable(relay));
  if (values.write && runs.length > 0) writeToPage('bench:peers runs', machine, runTable(runs));
  if (values.json) say(JSON.stringify({ machine, relay, runs }, null, 2));
  else print(machine, relay, runs);
}

async function relayRows(rounds: number, roundMs: number): Promise<RelayRow[]> {
  const http = await start(fixture('echo-http.ts'), /(http:\S+)/);
  try {
    const upstream = { command: fixture('echo-stdio.ts'), url: http.found[0] as string };
    const rows: RelayRow[] = [];
    for (const kind of values.smoke ? (['http'] as const) : (['stdio', 'http'] as const))
      rows.push(...(await measureRelay({ kind, ...upstream }, rounds, roundMs)));
    return rows;
  } finally {
    await http.stop();
  }
}

function fixture(file: string): Command {
  const program = fileURLToPath(new URL(`fixtures/${file}`, import.meta.url));
  return { command: process.execPath, args: [program, 'legacy'] };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function print(machine: object, relay: readonly RelayRow[], runs: readonly RunRow[]): void {
  say(JSON.stringify(machine));
  if (relay.length > 0) say(`\n${table(relayTable(relay))}`);
  if (runs.length > 0) say(`\n${table(runTable(runs))}`);
}
