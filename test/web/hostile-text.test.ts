/** Text of servers, agents and models cannot run, hide or reorder anything, nor freeze the page by its length. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser, noBrowser, openPage, until } from '../support/browser.ts';
import { type Executed, execute } from '../support/dashboard.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const MARKUP = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';

describe('hostile text', { skip: noBrowser }, () => {
  const pml = new Pml({ after }, { mcpServers: { evil: fixtureServer('hostile-text.ts') } });
  let browser: Browser;
  let url: string;
  let learned: Executed;
  after(() => browser?.close());
  before(async () => {
    await onUsualEngine(pml);
    const [up, launched] = await Promise.all([pml.up(), launchBrowser()]);
    [url, browser] = [up.url, launched];
    const client = await pml.http(url);
    learned = await execute(client, {
      intent: `say ${MARKUP} \u202ereversed`,
      name: 'evil:say',
      code: `console.log(${JSON.stringify(`${MARKUP}\u001b[31m\u202e`)});\nreturn await mcp.evil.say({ text: args.text }); // ${MARKUP}`,
      args: { text: `${MARKUP}\u202e` },
    });
    await execute(client, { intent: `fail ${MARKUP}`, code: 'await mcp.evil.fail({});' }).catch(() => {});
    await client.callTool({
      name: 'cap_rename',
      arguments: { name: 'evil:say', description: `${MARKUP} \u202eevil`, tags: ['a'] },
    });
  });

  test('is shown as text in every view', async () => {
    const { page, problems } = await openPage(browser);
    const paths = [
      '/',
      '/capabilities',
      `/capabilities/${learned.capabilityId}`,
      `/capabilities/${learned.capabilityId}?tab=run`,
      `/capabilities/${learned.capabilityId}?tab=recordings`,
      `/capabilities/${learned.capabilityId}?tab=graph`,
      '/inbox',
      '/runs',
      '/tools',
      '/tools/evil/say',
      '/servers/evil',
      '/graph?q=say',
      '/playground',
    ];
    for (const path of paths) {
      await page.goto(url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await until(page, "document.querySelector('.skeleton') === null");
      const text = (await page.evaluate('document.body.innerText')) as string;
      assert.doesNotMatch(text, /(?![\n\t\u200d])[\p{Cc}\p{Cf}]/u, path);
      assert.equal(await page.evaluate('window.pwned'), undefined, path);
      assert.equal(await page.locator('img[src=x], main script').count(), 0, path);
    }
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('a run shows markup, escapes and overrides of direction as what they are', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${url}/runs?kind=run`);
    await page
      .getByRole('link', { name: /evil:say|pml_execute|say/ })
      .last()
      .click();
    await page.getByText('⟨U+202E⟩').first().waitFor();
    await page.getByText('␛[31m', { exact: false }).first().waitFor();
    await page.getByText('<img src=x', { exact: false }).first().waitFor();
    assert.equal(await page.evaluate('window.pwned'), undefined);
    await page.context().close();
  });

  test('an answer of ten megabytes is shown in part', async () => {
    const { page } = await openPage(browser);
    await page.goto(`${url}/tools/evil/flood`);
    await page.getByRole('button', { name: 'Call' }).click();
    const region = page.getByRole('group', { name: 'Content 1' });
    await region.waitFor();
    assert.ok(((await region.textContent()) ?? '').length <= 4000);
    await page.context().close();
  });
});
