import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Command, lineClient } from './support/clients.ts';
import { Home } from './support/home.ts';
import { benchOptions } from './support/options.ts';
import { inTurns, median, short, table } from './support/stats.ts';

const HELP = `Times a new session through PML beside the same server without it: from the start of the process until
initialize, tools/list and a first call are answered, in rounds that take turns. Linux only.

  node bench/start.ts [--rounds 7] [--smoke] [--json]
`;

const values = benchOptions(HELP, { rounds: { type: 'string', default: '7' } });
const ROUNDS = values.smoke ? 1 : Number(values.rounds);

const require = createRequire(import.meta.url);
const MEMORY = dirname(require.resolve('@modelcontextprotocol/server-memory/package.json'));
const SERVER: Command = { command: process.execPath, args: [join(MEMORY, 'dist', 'index.js')] };
const TICKS_PER_SECOND = 100;

interface Start {
  initialize: number;
  list: number;
  call: number;
  /** Processor time of the daemon when the call was answered; NaN without one. */
  daemonCpu: number;
}

/** Starts a session and times its first answers, in milliseconds since the start. */
async function timeStart(command: Command, tool: string, home?: Home): Promise<Start> {
  const began = performance.now();
  const client = await lineClient(command, 'legacy');
  const initialize = performance.now() - began;
  const { tools } = await client.request('tools/list', {});
  const list = performance.now() - began;
  if (tools.length === 0) throw new Error('no tools were listed');
  await client.request('tools/call', { name: tool, arguments: {} });
  const call = performance.now() - began;
  const daemonCpu = home ? await daemonCpuMs(home) : Number.NaN;
  await client.close();
  return { initialize, list, call, daemonCpu };
}

async function daemonCpuMs(home: Home): Promise<number> {
  const { pid } = JSON.parse(await home.output('status', '--json')) as { pid: number };
  // The name of the program, in parentheses, may hold spaces; user and system time are the 12th and 13th field after it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function serve(home: Home): Promise<Start> {
  return timeStart(home.command('serve'), 'mcp__memory__read_graph', home);
}

async function onEmptyHome(): Promise<Start> {
  const home = new Home({ memory: SERVER });
  home.env.PML_FIRST_ANSWERS = 'early';
  try {
    return await serve(home);
  } finally {
    await home.close();
  }
}

/** Returns the median of each figure. */
function medianStart(starts: readonly Start[]): Start {
  const of = (key: keyof Start) => median(starts.map((one) => one[key]));
  return { initialize: of('initialize'), list: of('list'), call: of('call'), daemonCpu: of('daemonCpu') };
}

const known = new Home({ memory: SERVER });
const acts = {
  'the server itself': () => timeStart({ ...SERVER, env: known.env, cwd: known.dir }, 'read_graph'),
  'empty home': onEmptyHome,
  'known home, no daemon': async () => {
    await known.down();
    return serve(known);
  },
  'daemon runs': () => serve(known),
};
let medians: Start[];
try {
  await serve(known);
  medians = (await inTurns(ROUNDS, Object.values(acts))).map(medianStart);
} finally {
  await known.close();
}

const [direct] = medians as [Start];
const report = medians.map((start, at) => ({
  start: Object.keys(acts)[at] ?? '',
  ...start,
  toDirect: { initialize: start.initialize / direct.initialize, list: start.list / direct.list },
}));
if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else {
  const head = ['start', 'initialize ms', '', 'tools/list ms', '', 'call ms', 'daemon CPU ms'];
  const lines = report.map(({ start, initialize, list, call, daemonCpu, toDirect }) => [
    start,
    short(initialize),
    `${short(toDirect.initialize)}×`,
    short(list),
    `${short(toDirect.list)}×`,
    short(call),
    Number.isNaN(daemonCpu) ? '' : short(daemonCpu),
  ]);
  process.stdout.write(`${table([head, ...lines])}\n`);
}
