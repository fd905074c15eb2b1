import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openDb } from '../../src/store/index.ts';
import { Home } from '../support/home.ts';
import { median, percentile } from '../support/stats.ts';
import { type DashboardBench, framesWhile, timeUntil } from './open-bench.ts';
import { seed } from './seed.ts';

export interface Size {
  capabilities: number;
  rows: number;
}

const USER = 'bench';

/** Fills a home of that size and looks at it. */
export async function measureHome(bench: DashboardBench, size: Size) {
  const home = new Home({});
  home.env.PML_USER = USER;
  try {
    const db = await openDb({ home: join(home.dir, 'home') });
    await seed(db, { ...size, user: USER });
    await db.close();
    const { found, stop } = await home.up();
    const url = (found[0] as string).replace(/\/mcp$/, '');
    try {
      return await measureViews(bench, url, size);
    } finally {
      await stop();
    }
  } finally {
    await home.close();
  }
}

async function measureViews(bench: DashboardBench, url: string, size: Size) {
  const on = async <T>(look: (page: Page) => Promise<T>): Promise<T> => {
    const page = await bench.freshPage();
    try {
      return await look(page);
    } finally {
      await page.context().close();
    }
  };
  // The first page of all fills the caches of the gateway and of the database; it counts the inbox last.
  await on((page) => timeUntil(page, url, '.nav-item .count'));
  return {
    size,
    load: await on((page) => firstLoad(page, url)),
    capabilities: await on((page) => table(page, url)),
    runs: { usefulMs: await on((page) => timeUntil(page, `${url}/runs`, 'tr.data')) },
    graph: await on((page) => graph(page, url)),
  };
}

async function firstLoad(
  page: Page,
  url: string,
): Promise<{ bytes: number; requests: number; usefulMs: number }> {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const streams = new Set<string>();
  let bytes = 0;
  let requests = 0;
  network.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.includes('/events')) streams.add(requestId);
    else requests++;
  });
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!streams.has(requestId)) bytes += encodedDataLength;
  });
  const usefulMs = await timeUntil(page, url, '.figure .value');
  await page.locator('.chart canvas').first().waitFor();
  return { bytes, requests, usefulMs };
}

/** Opens the table, then scrolls through it, which loads its next pages. */
async function table(
  page: Page,
  url: string,
): Promise<{ usefulMs: number; pageMs: number; frameMs: number }> {
  const times: number[] = [];
  page.on('requestfinished', (request) => {
    if (request.url().includes('cursor=')) times.push(request.timing().responseEnd);
  });
  const usefulMs = await timeUntil(page, `${url}/capabilities`, 'tr.data');
  const scroller = page.locator('.table-wrap');
  await scroller.hover();
  const frames = await framesWhile(page, async () => {
    for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, 400);
  });
  return { usefulMs, pageMs: times.length > 0 ? median(times) : 0, frameMs: percentile(frames, 0.95) };
}

async function graph(
  page: Page,
  url: string,
): Promise<{ nodes: number; frameMs: number; frameP95Ms: number }> {
  const answered = page.waitForResponse((response) => response.url().includes('/api/v1/graph'));
  await page.goto(`${url}/graph`);
  const { nodes } = (await (await answered).json()) as { nodes: unknown[] };
  await page.locator('.graph-canvas').first().waitFor();
  await page.mouse.move(700, 400);
  await page.mouse.down();
  const frames = await framesWhile(page, async () => {
    for (let turn = 0; turn < 60; turn++) await page.mouse.move(700 + turn * 4, 400 + turn * 2);
  });
  await page.mouse.up();
  return { nodes: nodes.length, frameMs: median(frames), frameP95Ms: percentile(frames, 0.95) };
}
