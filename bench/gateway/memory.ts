import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Command, httpClient, lineClient } from '../support/clients.ts';
import { Home, LISTENING } from '../support/home.ts';
import { type Inspected, inspect, type Memory } from '../support/inspected.ts';
import { echo } from './calls.ts';

export interface MemoryRow extends Memory {
  calls: number;
  /** Compared with a Node process that does nothing. */
  ratio: { rss: number; heapUsed: number };
}

const IDLE_NODE: Command = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1e6)'] };
/** The memory of servers, callers and journal settles in this time. */
const SETTLE_MS = 2000;
const CALLERS = 32;

/** Measures the daemon's memory before any call and after many, with garbage collected and the journal stored. */
export async function measureMemory(server: Command, after: readonly number[]): Promise<MemoryRow[]> {
  const idle = await inspect(IDLE_NODE);
  const bare = await idle.memory();
  await idle.close();
  const home = new Home({ mini: server });
  const opened: (Client | Inspected)[] = [];
  const opens = async <T extends Client | Inspected>(one: Promise<T>): Promise<T> => {
    opened.unshift(await one);
    return one;
  };
  try {
    const daemon = await opens(inspect(home.command('up', '--port', '0'), LISTENING));
    const url = daemon.found[0] as string;
    const stdio = echo(await opens(lineClient(home.command('serve'), 'legacy')), 'mcp__mini__echo');
    const modern = echo(await opens(httpClient(url, 'modern')), 'mcp__mini__echo');
    const legacy = echo(await opens(httpClient(url, 'legacy')), 'mcp__mini__echo');
    const mix = [stdio, stdio, stdio, stdio, stdio, stdio, stdio, stdio, modern, legacy];
    const rows: MemoryRow[] = [];
    for (const calls of [0, ...after]) {
      await make(calls - (rows.at(-1)?.calls ?? 0), mix);
      await sleep(SETTLE_MS);
      const memory = await daemon.memory();
      const ratio = { rss: memory.rss / bare.rss, heapUsed: memory.heapUsed / bare.heapUsed };
      rows.push({ calls, ...memory, ratio });
    }
    return rows;
  } finally {
    for (const one of opened) await one.close();
    await home.close();
  }
}

async function make(calls: number, mix: readonly (() => Promise<void>)[]): Promise<void> {
  let left = calls;
  const work = async () => {
    while (left-- > 0) await mix[left % mix.length]?.();
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
}
