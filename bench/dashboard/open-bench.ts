import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM, until } from '../../test/support/browser.ts';

export interface DashboardBench {
  browser: Browser;
  /** Opens a page with an empty cache. */
  freshPage: () => Promise<Page>;
  close: () => Promise<void>;
}

/** Starts Chromium. Fails if there is none: without one nothing can be measured. */
export async function openBench(): Promise<DashboardBench> {
  if (!CHROMIUM)
    throw new Error(
      'No Chromium on this machine: apt-get install chromium-headless-shell, or set PML_CHROMIUM.',
    );
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  return {
    browser,
    freshPage: async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      page.setDefaultTimeout(300_000);
      return page;
    },
    close: () => browser.close(),
  };
}

/** Goes to an address and returns after how many milliseconds the selector was on the page. */
export async function timeUntil(page: Page, url: string, selector: string): Promise<number> {
  await page.addInitScript(`{
    const look = () => {
      if (document.querySelector(${JSON.stringify(selector)})) globalThis.usefulAt = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  }`);
  await page.goto(url, { waitUntil: 'commit' });
  await until(page, 'globalThis.usefulAt !== undefined');
  return (await page.evaluate('globalThis.usefulAt')) as number;
}

/** Collects the times between frames while something is done. */
export async function framesWhile(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(`{
    globalThis.frames = [];
    let last = performance.now();
    const next = (now) => {
      frames.push(now - last);
      last = now;
      globalThis.frameLoop = requestAnimationFrame(next);
    };
    globalThis.frameLoop = requestAnimationFrame(next);
  }`);
  await act();
  return (await page.evaluate('cancelAnimationFrame(globalThis.frameLoop), frames.slice(1)')) as number[];
}
