import { spawn } from 'node:child_process';
import { type Client, lineClient } from '../support/clients.ts';
import { exited, Home } from '../support/home.ts';
import { inTurns, median } from '../support/stats.ts';

export interface StartupRow {
  start: string;
  ms: number;
  bareNodeMs: number;
  ratio: number;
}

/** Times `pml serve` from its start to an answered `tools/list`, beside the start of Node itself. */
export async function measureStartup(
  servers: Record<string, object>,
  rounds: { warm: number; cold: number },
): Promise<StartupRow[]> {
  const home = new Home(servers);
  try {
    const serve = () => timed(() => firstList(home));
    const first = await serve();
    const warm = await compare('warm daemon', rounds.warm, serve);
    const cold = await compare('no daemon, home exists', rounds.cold, async () => {
      await home.down();
      return serve();
    });
    const empty = await compare('no daemon, empty home', rounds.cold, () => onEmptyHome(servers));
    return [
      warm,
      cold,
      empty,
      { ...empty, start: 'very first of this run', ...against(first, empty.bareNodeMs) },
    ];
  } finally {
    await home.close();
  }
}

async function compare(start: string, rounds: number, act: () => Promise<number>): Promise<StartupRow> {
  const [bare, pml] = (await inTurns(rounds, [bareNode, act])) as [number[], number[]];
  return { start, ...against(median(pml), median(bare)) };
}

function against(ms: number, bareNodeMs: number): Omit<StartupRow, 'start'> {
  return { ms, bareNodeMs, ratio: ms / bareNodeMs };
}

async function onEmptyHome(servers: Record<string, object>): Promise<number> {
  const home = new Home(servers);
  try {
    return await timed(() => firstList(home));
  } finally {
    await home.close();
  }
}

/** Returns the open client, so that closing it is not timed. */
async function firstList(home: Home): Promise<Client> {
  const client = await lineClient(home.command('serve'), 'legacy');
  const { tools } = await client.request('tools/list', {});
  if (tools.length === 0) throw new Error('no tools were listed');
  return client;
}

async function timed(act: () => Promise<Client>): Promise<number> {
  const started = performance.now();
  const client = await act();
  const ms = performance.now() - started;
  await client.close();
  return ms;
}

async function bareNode(): Promise<number> {
  const started = performance.now();
  await exited(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }));
  return performance.now() - started;
}
