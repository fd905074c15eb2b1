/**
 * Measures what it costs to decide whether an agent may call a tool, against the call itself, and the memory of an agent.
 *
 *   node --expose-gc bench/access.ts [--smoke] [--json]
 */
import { cpus, loadavg } from 'node:os';
import { measureAccess, type Row } from './access/measure.ts';
import { benchOptions } from './support/options.ts';
import { short, table } from './support/stats.ts';

const HELP = `node --expose-gc bench/access.ts [options]
  --smoke   100 tools of 5 servers and at most 50 agents
  --json    print JSON alone
A real workspace of 20 servers lists the tools. Each agent has five of the servers, or some tools of them. "authorise" looks
a name up as tools/call does; "call" is a whole call through the gateway to a server and back, in the same run.
Goal: to authorise takes less than 1 % of a call, and no longer with 1,000 agents than with 10.
`;

const values = benchOptions(HELP, {});

const size = values.smoke
  ? { tools: 100, servers: 5, agents: [10, 50] }
  : { tools: 10_000, servers: 20, agents: [10, 100, 1000] };
const rows = await measureAccess(size);
const report = {
  bench: 'access',
  machine: { cpus: cpus().length, node: process.version, load: loadavg()[0] as number },
  tools: size.tools,
  rows,
};
if (!values.json) process.stdout.write(`${print(rows)}\n\n`);
process.stdout.write(`${JSON.stringify(report)}\n`);

function print(all: readonly Row[]): string {
  const head = [
    'agents',
    'authorise (µs)',
    'deny (µs)',
    'call (µs)',
    'share',
    'first use (ms)',
    'memory (kB/agent)',
  ];
  const lines = all.map((row) => [
    String(row.agents),
    short(row.authoriseUs),
    short(row.denyUs),
    short(row.callUs),
    `${short((100 * row.authoriseUs) / row.callUs)} %`,
    short(row.firstUseMs),
    row.memoryKb === undefined ? '–' : short(row.memoryKb),
  ]);
  return table([head, ...lines]);
}
