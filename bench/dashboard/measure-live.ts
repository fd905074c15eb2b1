import { fileURLToPath } from 'node:url';
import { httpClient } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import { inTurns, measureCalls, median } from '../support/stats.ts';
import type { DashboardBench } from './open-bench.ts';

const ECHO = fileURLToPath(new URL('../fixtures/echo-stdio.ts', import.meta.url));
const CALLERS = 8;

/**
 * Measures calls per second without a page and with one on the journal, in turns, and the processor time that Chromium takes for
 * the page. The calls per second of a busy machine say little; the processor time does.
 */
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
    const browserMs: number[] = [];
    const watched = async () => {
      await page.goto(`${url.replace(/\/mcp$/, '')}/runs`);
      await page.locator('tr.data').first().waitFor();
      const [before, began] = [await processorMs(bench), performance.now()];
      const { perSecond } = await measureCalls(call, ms, CALLERS);
      const seconds = (performance.now() - began) / 1000;
      browserMs.push(((await processorMs(bench)) - before) / seconds);
      return perSecond;
    };
    const [without = [], withPage = []] = await inTurns(rounds, [calm, watched]);
    await page.context().close();
    await client.close();
    await stop();
    return { without: median(without), with: median(withPage), browserMs: median(browserMs) };
  } finally {
    await home.close();
  }
}

/** The processor time that all processes of Chromium have taken so far. */
async function processorMs({ browser }: DashboardBench): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}
