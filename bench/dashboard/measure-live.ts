import { fileURLToPath } from 'node:url';
import { httpClient } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import { inTurns, measureCalls, median } from '../support/stats.ts';
import type { DashboardBench } from './open-bench.ts';

const ECHO = fileURLToPath(new URL('../fixtures/echo-stdio.ts', import.meta.url));
const CALLERS = 8;

/** Measures calls per second without a page and with one that shows each call, in turns. */
export async function measureLive(bench: DashboardBench, { rounds, ms }: { rounds: number; ms: number }) {
  const home = new Home({ echo: { command: process.execPath, args: [ECHO, 'legacy'] } });
  try {
    const { found, stop } = await home.up();
    const url = found[0] as string;
    const client = await httpClient(url, 'legacy');
    const call = () =>
      client.request('tools/call', { name: 'mcp__echo__echo', arguments: { text: 'hello' } });
    await measureCalls(call, ms / 2, CALLERS);
    const page = await bench.freshPage();
    const calm = async () => {
      await page.goto('about:blank');
      return (await measureCalls(call, ms, CALLERS)).perSecond;
    };
    const watched = async () => {
      await page.goto(`${url.replace(/\/mcp$/, '')}/runs`);
      await page.locator('tr.data').first().waitFor();
      return (await measureCalls(call, ms, CALLERS)).perSecond;
    };
    const [without = [], withPage = []] = await inTurns(rounds, [calm, watched]);
    await page.context().close();
    await client.close();
    await stop();
    return { without: median(without), with: median(withPage) };
  } finally {
    await home.close();
  }
}
