/** A page that is kept open: it follows what happens, and survives a gateway that stops, comes back, and is another version. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../src/testing/postgres.ts';
import { eventually } from '../../src/testing/wait.ts';
import { launchBrowser, noBrowser, openPage } from '../support/browser.ts';
import { execute } from '../support/dashboard.ts';
import { npmServer, Pml } from '../support/pml.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

describe('a page that is kept open', { skip: noBrowser }, () => {
  const pml = new Pml({ after }, { mcpServers: { everything: npmServer('everything') } });
  let browser: Browser;
  let port: number;
  let up: Awaited<ReturnType<Pml['up']>>;
  let client: Client;
  const start = async () => {
    up = await pml.up('--port', String(port));
    client = await pml.http(up.url);
  };
  after(() => browser?.close());
  before(async () => {
    port = await freePort();
    await onUsualEngine(pml);
    [browser] = await Promise.all([launchBrowser(), start()]);
  });

  const newestRow = (page: Page) => page.locator('tr.data').first().getAttribute('data-row');
  const echo = (message: string) => client.callTool({ name: 'everything:echo', arguments: { message } });

  test('the tail of runs follows, stands still while it is paused, and goes on', async () => {
    const { page, problems } = await openPage(browser);
    await page.goto(`${up.url}/runs`);
    await page.getByText('Nothing ran yet').waitFor();
    await echo('one');
    await page.locator('tbody tr.data').waitFor();
    await page.keyboard.press('p');
    await page.getByText('Paused').waitFor();
    await echo('two');
    await page.getByText('Paused, 1 new').waitFor();
    assert.equal(await page.locator('tbody tr.data').count(), 1);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.locator('tbody tr.data').nth(1).waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('a page that opens reads what it shows once, and misses nothing', async () => {
    const { page } = await openPage(browser);
    const read: string[] = [];
    page.on('request', (request) => read.push(new URL(request.url()).pathname));
    // The stream opens only after a call that the table does not have.
    const isTime = Promise.withResolvers<void>();
    await page.route('**/api/v1/events*', (route) => isTime.promise.then(() => route.continue()));
    await page.goto(`${up.url}/runs`);
    await page.locator('tbody tr.data').first().waitFor();
    const newest = await newestRow(page);
    await echo('before the stream');
    isTime.resolve();
    await eventually(async () => (await newestRow(page)) !== newest, 'the page shows the call');
    assert.equal(read.filter((path) => path === '/api/v1/runs').length, 1);
    await page.context().close();
  });

  test('the overview is read once, while the script still loads', async () => {
    const { page } = await openPage(browser);
    const read: string[] = [];
    page.on('request', (request) => read.push(new URL(request.url()).pathname));
    await page.goto(`${up.url}/?since=7d`);
    await page.locator('.figure .value').first().waitFor();
    await page.getByText('Live').waitFor();
    const times = (path: string) => read.filter((one) => one === path).length;
    assert.deepEqual([times('/api/v1/overview'), times('/api/v1/session')], [1, 1]);
    assert.ok(
      read.indexOf('/api/v1/overview') < read.findIndex((path) => path.endsWith('.js')),
      String(read),
    );
    await page.context().close();
  });

  test('a flood says that calls are left out, and they are read when it is over', async () => {
    const { page } = await openPage(browser);
    // The first stream ends after one batch of a flood; the page opens the next one itself.
    const batch = { rows: [], left_out: 250 };
    const flood = {
      contentType: 'text/event-stream',
      body: `event: call\ndata: ${JSON.stringify(batch)}\n\n`,
    };
    const isTime = Promise.withResolvers<void>();
    await page.route('**/api/v1/events*', (route) => isTime.promise.then(() => route.fulfill(flood)), {
      times: 1,
    });
    await page.goto(`${up.url}/runs`);
    await page.locator('tbody tr.data').first().waitFor();
    // The words go again when the flood is over.
    const isSaid = page.getByText('250 calls left out for now').waitFor();
    isTime.resolve();
    await isSaid;
    const missed = await newestRow(page);
    await echo('in the flood');
    await page.getByText('left out for now').waitFor({ state: 'detached' });
    await eventually(async () => (await newestRow(page)) !== missed, 'the table has the call');
    const { items } = (await (await fetch(`${up.url}/api/v1/runs`)).json()) as { items: { id: string }[] };
    const rows = page.locator('tr.data');
    const shown = await Promise.all((await rows.all()).map((row) => row.getAttribute('data-row')));
    assert.deepEqual(
      shown,
      items.slice(0, shown.length).map(({ id }) => id),
    );
    await page.context().close();
  });

  test('a page that nobody looks at draws no calls, and shows them on return', async () => {
    const [hidden, seen] = await Promise.all([openPage(browser), openPage(browser)]);
    for (const { page } of [hidden, seen]) {
      await page.goto(`${up.url}/runs`);
      await page.locator('tbody tr.data').first().waitFor();
    }
    const before = await newestRow(hidden.page);
    const setHidden = (isHidden: boolean) =>
      hidden.page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await setHidden(true);
    await echo('unseen');
    await eventually(async () => (await newestRow(seen.page)) !== before, 'the other page shows the call');
    assert.equal(await newestRow(hidden.page), before);
    await setHidden(false);
    await eventually(
      async () => (await newestRow(hidden.page)) === (await newestRow(seen.page)),
      'the call is shown',
    );
    for (const { page } of [hidden, seen]) await page.context().close();
  });

  test('what is learned meanwhile appears in the table and in the inbox', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${up.url}/capabilities`);
    await page.getByText('Nothing learned yet').waitFor();
    const code = 'return await mcp.everything.echo({ message: args.text });';
    await execute(client, { intent: 'say a text', code, args: { text: 'hi' } });
    await page.getByRole('link', { name: /unnamed_/ }).waitFor();
    await page.context().close();
  });

  test('while the gateway is away the page says so; when it is back it catches up, and changes work again', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${up.url}/runs`);
    await page.locator('tbody tr.data').first().waitFor();
    const newest = await newestRow(page);
    await up.stop();
    await page.getByText('The gateway is away.').waitFor();
    await start();
    await echo('after the break');
    await page.getByText('The gateway is away.').waitFor({ state: 'detached' });
    await eventually(async () => (await newestRow(page)) !== newest, 'the page shows what it missed');
    // The token of the page is from the start before.
    await page.goto(`${up.url}/tools/everything/echo`);
    await page.getByLabel(/^message/).fill('again');
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByText(/Echo: again/).waitFor();
    await page.context().close();
  });

  test('an old tab offers to reload when the gateway was upgraded', async () => {
    const { page } = await openPage(browser);
    await page.goto(up.url);
    await page.getByText('Overview').first().waitFor();
    await page.getByText('Live').waitFor();
    await page.route('**/api/v1/session*', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...(await answer.json()), version: '99.0.0' } });
    });
    await up.stop();
    await page.getByText('The gateway is away.').waitFor();
    await start();
    await page.getByText('PML was upgraded to 99.0.0').waitFor();
    await page.unroute('**/api/v1/session*');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('PML was upgraded').waitFor({ state: 'detached' });
    await page.context().close();
  });
});
