import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { httpClient } from '../support/clients.ts';
import { Home, start } from '../support/home.ts';
import { inTurns, median, percentile } from '../support/stats.ts';

export interface HttpRow {
  what: string;
  /** The time between two runs. */
  pauseMs: number;
  client: 'SDK' | 'raw';
  p50: number;
  p95: number;
  /** Compared with `return 1` by the same client, after the same pause. */
  ratio: number;
  /** The goal in milliseconds, or for the ratio. */
  goal?: { p50?: number; ratio?: number };
}

type Call = (
  name: string,
  args: Record<string, unknown>,
) => Promise<{ isError?: boolean; content?: unknown }>;

const PAUSE_MS = 30;
const CALLS = 10;
const CALL = '(await mcp.mini.echo({ message: "x" })).length';
const IN_TURN = `let sum = 0; for (let at = 0; at < ${CALLS}; at++) sum += ${CALL}; return sum`;
const TRIVIAL = 'a trivial run: return 1';
const ONE = 'a run with one call';
const TEN = `a run with ${CALLS} calls in turn`;
const TOOL = 'a remembered capability, as a tool';
const FLOOR = 'a call of an echo server, without PML';

/** The calls of the SDK's client and of a raw one. */
interface Clients {
  SDK: Call;
  raw: Call;
  close(): Promise<void>;
}

/**
 * Times runs that a client asks for over HTTP, with a pause before each and back to back. The same clients call an echo
 * server, which shows how much of the time is their own.
 */
export async function measureOverHttp(rounds: number): Promise<HttpRow[]> {
  const fixture = (name: string) => {
    const file = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
    return { command: process.execPath, args: [file, 'legacy'] };
  };
  const home = new Home({ mini: fixture('echo-stdio.ts') });
  const up = await home.up();
  const echo = await start(fixture('echo-http.ts'), /(http:\S+)/);
  const toPml = await connect(up.found[0] as string);
  const toEcho = await connect(echo.found[0] as string);
  try {
    await mustSucceed(toPml.SDK('pml_execute', { intent: 'bench', code: 'return "one"', name: 'bench:one' }));
    const rows: HttpRow[] = [];
    for (const client of ['SDK', 'raw'] as const) {
      for (const pauseMs of [PAUSE_MS, 0])
        rows.push(...(await measure(toPml[client], toEcho[client], client, pauseMs, rounds)));
    }
    return rows;
  } finally {
    await Promise.all([toPml.close(), toEcho.close()]);
    await Promise.all([up.stop(), echo.stop()]);
    await home.close();
  }
}

async function connect(url: string): Promise<Clients> {
  const sdk = new Client({ name: 'bench', version: '1' });
  await sdk.connect(new StreamableHTTPClientTransport(new URL(url)));
  const raw = await httpClient(url, 'legacy');
  return {
    SDK: (name, args) => sdk.callTool({ name, arguments: args }),
    raw: (name, args) => raw.request('tools/call', { name, arguments: args }),
    close: async () => {
      await raw.close();
      await sdk.close();
    },
  };
}

async function measure(
  call: Call,
  callEcho: Call,
  client: HttpRow['client'],
  pauseMs: number,
  rounds: number,
): Promise<HttpRow[]> {
  const execute = (code: string) => () => mustSucceed(call('pml_execute', { intent: 'bench', code }));
  const acts: Record<string, () => Promise<unknown>> = {
    [TRIVIAL]: execute('return 1'),
    [ONE]: execute(`return ${CALL}`),
    [TEN]: execute(IN_TURN),
    [TOOL]: () => mustSucceed(call('bench:one', {})),
    [FLOOR]: () => mustSucceed(callEcho('echo', { message: 'x' })),
  };
  // Each way has its own series: back to back means the same run again.
  const series = Object.values(acts).map((act) => () => timed(act, pauseMs, Math.min(rounds, 10)));
  await inTurns(2, series);
  const [trivial = [], one = [], ten = [], tool = [], floor = []] = (
    await inTurns(Math.ceil(rounds / 10), series)
  ).map((times) => times.flat());
  const row = (what: string, times: number[], goal?: HttpRow['goal']): HttpRow => ({
    ...{ what, pauseMs, client, p50: median(times), p95: percentile(times, 0.95) },
    ...{ ratio: median(times) / median(trivial), ...(goal && { goal }) },
  });
  const further = ten.map((ms) => (ms - median(one)) / (CALLS - 1));
  return [
    row(TRIVIAL, trivial, { p50: pauseMs > 0 ? 2.8 : 4 }),
    row(ONE, one),
    row(TEN, ten),
    row('each further call', further, { p50: 0.6 }),
    row(TOOL, tool, { ratio: 1.2 }),
    row(FLOOR, floor),
  ];
}

async function timed(act: () => Promise<unknown>, pauseMs: number, times: number): Promise<number[]> {
  const taken: number[] = [];
  for (let done = 0; done < times; done++) {
    if (pauseMs > 0) await sleep(pauseMs);
    const started = performance.now();
    await act();
    taken.push(performance.now() - started);
  }
  return taken;
}

async function mustSucceed(answer: ReturnType<Call>): Promise<void> {
  const { isError, content } = await answer;
  if (isError) throw new Error(JSON.stringify(content));
}
