import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Home } from '../support/home.ts';
import { inTurns, median, percentile } from '../support/stats.ts';

export interface NestedRow {
  what: string;
  p50: number;
  p95: number;
  /** Compared with two calls in sequence. */
  ratio: number;
}

const INNER = 'return (await mcp.mini.echo({ message: "x" })).length';
const OUTER = 'return await mcp.bench.inner({}) + await mcp.bench.inner({})';

/** Times, through a whole PML, a capability that calls another twice, against calling that one twice. */
export async function measureNested(rounds: number): Promise<NestedRow[]> {
  const echo = fileURLToPath(new URL('../fixtures/echo-stdio.ts', import.meta.url));
  const home = new Home({ mini: { command: process.execPath, args: [echo, 'legacy'] } });
  const client = new Client({ name: 'bench', version: '1' });
  try {
    await client.connect(new StdioClientTransport({ ...home.command('serve'), stderr: 'ignore' }));
    const execute = (args: Record<string, unknown>) =>
      client.callTool({ name: 'pml_execute', arguments: { intent: 'bench', ...args } }).then(mustSucceed);
    await execute({ code: INNER, name: 'bench:inner' });
    await execute({ code: OUTER, name: 'bench:outer' });
    const inner = () => client.callTool({ name: 'bench:inner', arguments: {} }).then(mustSucceed);
    const outer = () => client.callTool({ name: 'bench:outer', arguments: {} }).then(mustSucceed);
    const twice = async () => {
      await inner();
      await inner();
    };
    const acts = [twice, outer, () => execute({ code: INNER })].map((act) => () => timed(act));
    // The first rounds fill caches.
    await inTurns(3, acts);
    const [separate = [], nested = [], direct = []] = await inTurns(rounds, acts);
    const row = (what: string, times: number[]): NestedRow => ({
      what,
      p50: median(times),
      p95: percentile(times, 0.95),
      ratio: median(times) / median(separate),
    });
    return [
      row('two calls of a capability', separate),
      row('a capability that calls it twice', nested),
      row('its code by pml_execute, once', direct),
    ];
  } finally {
    await client.close();
    await home.close();
  }
}

function mustSucceed<T extends { isError?: boolean; content?: unknown }>(result: T): T {
  if (result.isError) throw new Error(JSON.stringify(result.content));
  return result;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}
