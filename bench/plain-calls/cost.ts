import { fileURLToPath } from 'node:url';
import { plainValueOf } from '../../src/execute/index.ts';
import { CallWindow } from '../../src/learning/call-window.ts';
import { SegmentCounts } from '../../src/learning/segment-counts.ts';
import { SessionCalls } from '../../src/learning/session-calls.ts';
import { lineClient } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import { measureCalls } from '../support/stats.ts';
import { type Item, mutate } from './data.ts';

/** Microseconds, and their share of a relayed call. */
export interface Cost {
  'relayed call, µs': number;
  'on the call path, µs': number;
  'on the call path, %': number;
  'later, µs': number;
  'later, %': number;
}

/** Measures what observing a call costs, beside a call that PML relays to the cheapest server there is. */
export async function measureCost(calls: number, items: readonly Item[], ms: number): Promise<Cost> {
  const relayed = await relayedCall(ms);
  const [onPath, later] = observe(calls, items);
  return {
    'relayed call, µs': relayed,
    'on the call path, µs': onPath,
    'on the call path, %': (100 * onPath) / relayed,
    'later, µs': later,
    'later, %': (100 * later) / relayed,
  };
}

async function relayedCall(ms: number): Promise<number> {
  const echo = fileURLToPath(new URL('../fixtures/echo-stdio.ts', import.meta.url));
  const home = new Home({ mini: { command: process.execPath, args: [echo, 'legacy'] } });
  try {
    const client = await lineClient(home.command('serve'), 'legacy');
    const call = () =>
      client.request('tools/call', { name: 'mcp__mini__echo', arguments: { message: 'hello' } });
    await measureCalls(call, ms / 4, 1);
    const { p50 } = await measureCalls(call, ms, 1);
    await client.close();
    return p50 * 1000;
  } finally {
    await home.close();
  }
}

/** Observes recorded calls with ever new data. Returns the microseconds per call on the call path, and in a later turn. */
function observe(count: number, items: readonly Item[]): [onPath: number, later: number] {
  const calls = Array.from({ length: 20 }, (_, turn) => items.map((item) => mutate(item, turn)))
    .flat()
    .flatMap((item) => item.calls)
    .map(({ server, tool, args, result = null }) => ({
      name: `${server}:${tool}`,
      args,
      result: { content: [{ type: 'text', text: JSON.stringify(result) }] },
    }));
  let now = Date.now();
  const session = new SessionCalls({
    window: new CallWindow('bench', new SegmentCounts(), () => {}),
    // As slow as an agent: calls that come faster are not read.
    now: () => (now += 1000),
    valueOf: plainValueOf,
    onWaiting: () => {},
    onClose: () => {},
  });
  let [onPath, later] = [0, 0];
  for (let at = 0; at < 2 * count; at++) {
    const { name, args, result } = calls[at % calls.length] as (typeof calls)[number];
    const started = performance.now();
    session.begin(name, args).ended(result);
    const noted = performance.now();
    session.read(1);
    // The first half warms up.
    if (at < count) continue;
    onPath += noted - started;
    later += performance.now() - noted;
  }
  return [(1000 * onPath) / count, (1000 * later) / count];
}
