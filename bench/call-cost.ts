import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { echo } from './gateway/calls.ts';
import { measureJournal } from './gateway/journal-cost.ts';
import { type Client, type Command, httpClient, lineClient } from './support/clients.ts';
import { Home, start } from './support/home.ts';
import { benchOptions } from './support/options.ts';
import { short, table } from './support/stats.ts';
import { threadTimes } from './support/thread-times.ts';

const WAYS = 'http-legacy,http-modern,http-stream,stdio,stdio-stdio';
const HELP = `Measures the processor time that PML takes for a call, by thread, so that a busy machine does not blur it. Linux only.
The journal's part is that of a journal alone, in this process, with as many calls.

  node bench/call-cost.ts [--smoke] [--json] [--only ${WAYS}]

The client calls over HTTP a server of the kind that is named; stdio-stdio: it calls by \`pml serve\` a stdio server.
`;

const values = benchOptions(HELP, {
  only: { type: 'string', default: WAYS },
});
const CALLS = values.smoke ? 100 : 8000;
const CALLERS = [1, 32];
/** The journal stores the last batch in this time. */
const SETTLE_MS = 500;

interface CostRow {
  way: string;
  callers: number;
  callsPerSecond: number;
  /** Microseconds of processor time a call. */
  main: number;
  store: number;
  others: number;
  /** The journal's share of all of it. */
  journal?: number;
}

function fixture(file: string, ...args: string[]): Command {
  const path = fileURLToPath(new URL(`fixtures/${file}`, import.meta.url));
  return { command: process.execPath, args: [path, ...args] };
}

/** Runs the calls and returns the daemon's processor time for each: its main thread, the busiest other one (the store), the rest. */
async function measure(
  pid: number,
  way: string,
  call: () => Promise<void>,
  callers: number,
): Promise<CostRow> {
  const before = threadTimes(pid);
  const began = performance.now();
  let left = CALLS;
  const work = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: callers }, work));
  const callsPerSecond = (CALLS / (performance.now() - began)) * 1000;
  await sleep(SETTLE_MS);
  let main = 0;
  const rest: number[] = [];
  for (const [id, us] of threadTimes(pid)) {
    const spent = (us - (before.get(id) ?? 0)) / CALLS;
    if (id === pid) main = spent;
    else rest.push(spent);
  }
  const store = Math.max(0, ...rest);
  return { way, callers, callsPerSecond, main, store, others: rest.reduce((a, b) => a + b, 0) - store };
}

const servers = await Promise.all(
  [['legacy'], ['modern'], ['legacy', 'stream']].map((args) =>
    start(fixture('echo-http.ts', ...args), /(http:\S+)/),
  ),
);
const [legacy, modern, stream] = servers.map(({ found }) => found[0] as string);
const home = new Home({
  mini: fixture('echo-stdio.ts', 'legacy'),
  legacy: { url: legacy },
  modern: { url: modern },
  stream: { url: stream },
});
const rows: CostRow[] = [];
const clients: Client[] = [];
try {
  const up = await home.up();
  servers.unshift(up);
  const overHttp = await httpClient(up.found[0] as string, 'legacy');
  const overStdio = await lineClient(home.command('serve'), 'legacy');
  clients.push(overHttp, overStdio);
  const calls = {
    'http-legacy': echo(overHttp, 'mcp__legacy__echo'),
    'http-modern': echo(overHttp, 'mcp__modern__echo'),
    'http-stream': echo(overHttp, 'mcp__stream__echo'),
    stdio: echo(overHttp, 'mcp__mini__echo'),
    'stdio-stdio': echo(overStdio, 'mcp__mini__echo'),
  };
  const ways = Object.entries(calls).filter(([way]) => values.only.split(',').includes(way));
  for (const [way, call] of ways) {
    await measure(up.pid, way, call, 8);
    for (const callers of CALLERS) rows.push(await measure(up.pid, way, call, callers));
  }
} finally {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(servers.map(({ stop }) => stop()));
  await home.close();
}
const journal = await measureJournal(CALLS);
for (const row of rows) row.journal = (journal.main + journal.store) / (row.main + row.store + row.others);

if (values.json) process.stdout.write(`${JSON.stringify({ rows, journal }, null, 2)}\n`);
else {
  const lines = rows.map((row) => [
    row.way,
    String(row.callers),
    short(row.callsPerSecond),
    ...[row.main, row.store, row.others].map(short),
    `${Math.round((row.journal ?? 0) * 100)} %`,
  ]);
  lines.push(['journal alone', '', '', short(journal.main), short(journal.store), '', '']);
  const head = ['way', 'callers', 'calls/s', 'main µs', 'store µs', 'others µs', 'journal'];
  process.stdout.write(`${table([head, ...lines])}\n`);
}
