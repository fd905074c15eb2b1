import { echo } from '../gateway/calls.ts';
import type { Client } from '../support/clients.ts';
import { inTurns, type Latency, measureCalls, median } from '../support/stats.ts';
import { type Gateway, openGateways, type Upstream } from './gateways.ts';
import { treeCpuMs } from './process-tree.ts';

export interface RelayRow {
  upstream: string;
  gateway: string;
  callers: number;
  p50: number;
  perSecond: number;
  /** The lowest and the highest calls per second of the rounds. */
  spread: [number, number];
  /** The processor time of the gateway's processes for one call, without the server's. */
  cpuMs: number | undefined;
}

const CALLERS = [1, 32];

interface Round extends Latency {
  cpuMs: number | undefined;
}

/** Measures every gateway in turns, with one caller and with many. */
export async function measureRelay(upstream: Upstream, rounds: number, roundMs: number): Promise<RelayRow[]> {
  const gateways = await openGateways(upstream);
  const clients: Client[] = [];
  try {
    for (const gateway of gateways) clients.push(await gateway.connect());
    const acts = gateways.map((gateway, index) => {
      const call = echo(clients[index] as Client, gateway.tool);
      return (callers: number, ms: number) => measureRound(gateway, call, callers, ms);
    });
    await inTurns(
      1,
      acts.map((act) => () => act(8, roundMs)),
    );
    const rows: RelayRow[] = [];
    for (const callers of CALLERS) {
      const measured = await inTurns(
        rounds,
        acts.map((act) => () => act(callers, roundMs)),
      );
      for (const [index, gateway] of gateways.entries())
        rows.push(rowOf(upstream, gateway, callers, measured[index] ?? []));
    }
    return rows;
  } finally {
    for (const client of clients) await client.close();
    for (const gateway of gateways) await gateway.close();
  }
}

async function measureRound(
  { pid }: Gateway,
  call: () => Promise<void>,
  callers: number,
  ms: number,
): Promise<Round> {
  const cpu = () => (pid === undefined ? 0 : treeCpuMs(pid, 'bench/fixtures'));
  let calls = 0;
  const before = cpu();
  const latency = await measureCalls(
    async () => {
      await call();
      calls += 1;
    },
    ms,
    callers,
  );
  return { ...latency, cpuMs: pid === undefined ? undefined : (cpu() - before) / calls };
}

function rowOf({ kind }: Upstream, { name }: Gateway, callers: number, rounds: readonly Round[]): RelayRow {
  const rates = rounds.map(({ perSecond }) => perSecond);
  const cpus = rounds.flatMap(({ cpuMs }) => cpuMs ?? []);
  return {
    upstream: kind,
    gateway: name,
    callers,
    p50: median(rounds.map(({ p50 }) => p50)),
    perSecond: median(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    cpuMs: cpus.length > 0 ? median(cpus) : undefined,
  };
}
