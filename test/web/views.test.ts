/** Every view, on a home filled by real runs: what it shows, that axe finds nothing wrong with it, in light and dark. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../src/testing/wait.ts';
import {
  accessibilityProblems,
  launchBrowser,
  noBrowser,
  openPage,
  type WatchedPage,
} from '../support/browser.ts';
import { fillHome, type Gateway, startGateway } from '../support/dashboard.ts';
import { Pml } from '../support/pml.ts';

const AGENTS = {
  agents: { analyst: { capabilities: { filesystem: { tools: ['read_text_file'] }, capabilities: {} } } },
};

describe('the views', { skip: noBrowser }, () => {
  const pml = new Pml({ after });
  let gateway: Gateway;
  let browser: Browser;
  let watched: WatchedPage;
  let ids: { named: string; unnamed: string };
  after(() => browser?.close());
  before(async () => {
    [gateway, browser] = await Promise.all([startGateway(pml, AGENTS), launchBrowser()]);
    ids = await fillHome(gateway);
    watched = await openPage(browser);
  });

  /** Shows a view and looks at it, in light and in dark; `look` waits for its content. */
  async function inBothSchemes(path: string, look: (page: Page) => Promise<unknown>): Promise<void> {
    const { page, problems } = watched;
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(gateway.url + path);
    await look(page);
    assert.deepEqual(await accessibilityProblems(page), [], path);
    // Only the colours are others.
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    assert.deepEqual(await accessibilityProblems(page, ['color-contrast']), [], `${path} in dark`);
    assert.deepEqual(problems, [], path);
  }

  const text = (page: Page, what: string | RegExp) => page.getByText(what).first().waitFor();

  test('the overview', () =>
    inBothSchemes('/', async (page) => {
      await text(page, 'What memory saved');
      await page.locator('.figure', { hasText: 'Capabilities' }).getByText('3', { exact: true }).waitFor();
      await page.locator('.chart canvas').first().waitFor();
      await page.getByRole('link', { name: /everything/ }).waitFor();
    }));

  test('the capabilities', () =>
    inBothSchemes('/capabilities', async (page) => {
      await page.getByRole('link', { name: 'files:sum_sizes' }).waitFor();
      await page.getByRole('link', { name: /unnamed_/ }).waitFor();
    }));

  for (const [tab, shows] of [
    ['', 'get_file_info'],
    ['run', 'Parameters'],
    ['versions', 'current'],
    ['recordings', 'Verify by replay'],
    ['usage', 'Who calls it'],
    ['graph', 'What calls it, and what it calls'],
  ] as const) {
    test(`a capability, ${tab || 'its code and facts'}`, () =>
      inBothSchemes(`/capabilities/${ids.named}?tab=${tab}`, async (page) => {
        await page.getByRole('heading', { name: 'files:sum_sizes' }).waitFor();
        await text(page, shows);
      }));
  }

  test('the inbox', () => inBothSchemes('/inbox', (page) => text(page, 'Give it this name?')));

  test('the runs', () =>
    inBothSchemes('/runs', async (page) => {
      await page
        .getByRole('link', { name: /files:sum_sizes/ })
        .first()
        .waitFor();
      await page.getByText('failed', { exact: true }).first().waitFor();
    }));

  test('a run, with its calls and the line of its error', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${gateway.url}/runs?outcome=failed&kind=run`);
    const href = await page.locator('tbody a.name').first().getAttribute('href');
    await page.context().close();
    await inBothSchemes(href as string, async (opened) => {
      await opened.getByRole('button', { name: /everything:echo/ }).waitFor();
      await opened.getByRole('button', { name: /read_text_file.*failed/ }).click();
      await opened.locator('.code-line.marked', { hasText: 'missing.txt' }).waitFor();
    });
  });

  test('the tools', () =>
    inBothSchemes('/tools', (page) => page.getByRole('link', { name: 'echo', exact: true }).waitFor()));

  test('a tool', () =>
    inBothSchemes('/tools/everything/echo', async (page) => {
      await page.getByLabel(/^message/).waitFor();
      await page.getByRole('button', { name: 'Call' }).waitFor();
    }));

  test('the servers', () =>
    inBothSchemes('/servers', (page) => page.getByRole('row', { name: /filesystem.*ready/ }).waitFor()));

  test('a server', () =>
    inBothSchemes('/servers/everything', (page) => page.getByText('Log', { exact: true }).waitFor()));

  test('the agents', () =>
    inBothSchemes('/agents', (page) => page.getByRole('link', { name: 'analyst' }).waitFor()));

  test('an agent: what it can reach and what not', () =>
    inBothSchemes('/agents/analyst', async (page) => {
      await page.getByLabel('It can reach').getByText('read_text_file', { exact: false }).waitFor();
      await page.getByLabel('It cannot reach').getByText('write_file', { exact: false }).waitFor();
    }));

  test('the graph', () =>
    inBothSchemes('/graph?q=info', (page) =>
      page.getByRole('link', { name: 'filesystem:get_file_info' }).waitFor(),
    ));

  test('the playground', () =>
    inBothSchemes('/playground', async (page) => {
      await page.locator('.cm-content').waitFor();
      await text(page, 'Not run yet');
    }));

  test('a capability that does not exist', () =>
    inBothSchemes('/capabilities/nobody', (page) => text(page, 'Not found')));

  test('on a narrow screen the navigation is a menu, and nothing is wider than the screen', async () => {
    const { page } = await openPage(browser, { viewport: { width: 390, height: 800 } });
    for (const path of [
      '/',
      '/capabilities',
      `/capabilities/${ids.named}`,
      '/inbox',
      '/runs',
      '/tools',
      '/playground',
    ]) {
      await page.goto(gateway.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= 390'), true, path);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Servers' }).click();
    await page.getByRole('heading', { name: 'Servers' }).waitFor();
    await page.context().close();
  });

  test('keys lead everywhere', async () => {
    const { page } = await openPage(browser);
    await page.goto(gateway.url);
    await text(page, 'What memory saved');
    // On a busy machine the second key may come too late.
    await eventually(async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('c');
      return page.url().endsWith('/capabilities');
    }, 'the page of capabilities');
    await page.getByRole('link', { name: 'files:sum_sizes' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Run it' }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to Playground').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /Search capabilities/ }).fill('how large are all the files');
    const hit = page.getByRole('option', { name: /files:sum_sizes/ });
    await hit.waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    // Another hit may come first, as long as the calls of this one are not counted yet.
    await eventually(async () => {
      const isChosen = (await hit.getAttribute('aria-selected')) === 'true';
      if (!isChosen) await page.keyboard.press('ArrowDown');
      return isChosen;
    }, 'the hit is chosen');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'files:sum_sizes' }).waitFor();
    await page.context().close();
  });

  test('the figures are those of pml stats', async () => {
    const stats = JSON.parse((await gateway.pml.run(['stats', '--json'])).stdout);
    const { page } = await openPage(browser);
    await page.goto(`${gateway.url}/?since=30d`);
    const calls = page.locator('.figure', { hasText: 'Calls' }).first().locator('.value');
    await calls.waitFor();
    assert.equal((await calls.textContent())?.replaceAll(',', ''), String(stats.calls));
    const unnamed = page.locator('.figure', { hasText: 'Unnamed' }).locator('.value');
    assert.equal(await unnamed.textContent(), String(stats.unnamed ?? stats.unnamed_count));
    await page.context().close();
  });
});

test('a new home shows three steps to the first capability', { skip: noBrowser }, async (t) => {
  const pml = new Pml(t, {});
  const [{ url }, browser] = await Promise.all([pml.up(), launchBrowser()]);
  t.after(() => browser.close());
  const { page, problems } = await openPage(browser);
  await page.goto(url);
  await page.getByText('Three steps to the first capability').waitFor();
  await page.getByText('Put a server behind PML').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  for (const path of ['/capabilities', '/inbox', '/runs', '/tools', '/servers', '/agents']) {
    await page.goto(url + path);
    await page.locator('.empty h2').waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], path);
  }
  assert.deepEqual(problems, []);
});
