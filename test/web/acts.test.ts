/** Everything that a person can do on the dashboard, done in a browser, and seen by a client of the gateway. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser, noBrowser, openPage, until } from '../support/browser.ts';
import { connectPeer } from '../support/clients.ts';
import { execute, fillHome, type Gateway, startGateway } from '../support/dashboard.ts';
import { npmServer, Pml } from '../support/pml.ts';

describe('the acts', { skip: noBrowser }, () => {
  const pml = new Pml({ after });
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let ids: { named: string; unnamed: string };
  after(() => browser?.close());
  before(async () => {
    [gateway, browser] = await Promise.all([startGateway(pml), launchBrowser()]);
    ids = await fillHome(gateway);
  });
  beforeEach(async () => {
    ({ page, problems } = await openPage(browser));
    await page.addInitScript(PATIENT_TOASTS);
  });
  afterEach(async () => {
    await page.context().close();
    assert.deepEqual(problems, []);
  });

  const open = (path: string) => page.goto(gateway.url + path);
  const toast = (text: string | RegExp) => page.locator('.toast', { hasText: text });
  const undo = (text: string | RegExp) => toast(text).getByRole('button', { name: 'Undo' }).click();
  const whois = async (name: string) =>
    (await gateway.client.callTool({ name: 'cap_whois', arguments: { name } })).structuredContent as Record<
      string,
      unknown
    >;

  test('a capability is renamed, described and tagged, and all of it taken back', async () => {
    await open(`/capabilities/${ids.named}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('files:total_size');
    await page.getByLabel('Description').fill('Adds up the sizes of all files.');
    await page.getByLabel(/^Tags/).fill('disk, report');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'files:total_size' }).waitFor();
    assert.deepEqual((await whois('files:total_size')).tags, ['disk', 'report']);
    await undo('Saved');
    await page.getByRole('heading', { name: 'files:sum_sizes' }).waitFor();
    assert.deepEqual((await whois('files:sum_sizes')).tags, []);
  });

  test('who edits what another one changed meanwhile is told what changed', async () => {
    await open(`/capabilities/${ids.named}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await gateway.client.callTool({
      name: 'cap_rename',
      arguments: { name: 'files:sum_sizes', description: 'Written by somebody else.' },
    });
    await page.getByLabel(/^Tags/).fill('mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Written by somebody else.').waitFor();
    assert.equal(await page.getByLabel('Description').inputValue(), 'Written by somebody else.');
    assert.equal(await page.getByLabel(/^Tags/).inputValue(), 'mine');
    await page.getByRole('button', { name: 'Save over it' }).click();
    await toast('Saved').waitFor();
    assert.deepEqual((await whois('files:sum_sizes')).tags, ['mine']);
  });

  test('a capability is run by its form, and its run can be looked at and judged', async () => {
    await open(`/capabilities/${ids.named}?tab=run`);
    await page.getByLabel(/folder/).fill(gateway.files);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('group', { name: 'Result' }).getByText('"files": 3').waitFor();
    await page.getByRole('button', { name: 'Yes' }).click();
    await toast('Thank you').waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page
      .getByRole('button', { name: /get_file_info/ })
      .first()
      .waitFor();
  });

  test('recordings are replayed', async () => {
    await open(`/capabilities/${ids.named}?tab=recordings`);
    await page.getByRole('button', { name: 'Verify by replay' }).click();
    await page.getByText(/^Verified: every replay/).waitFor();
  });

  test('versions are compared, and rolled back', async () => {
    await gateway.client.callTool({
      name: 'cap_update',
      arguments: {
        name: 'files:sum_sizes',
        code: 'return { files: 0, bytes: 0 };',
        change_summary: 'Count nothing',
      },
    });
    await open(`/capabilities/${ids.named}?tab=versions`);
    await page.getByText('Count nothing').waitFor();
    await page.locator('.diff .del').first().waitFor();
    await page.locator('.diff .add', { hasText: 'bytes: 0' }).waitFor();
    await page.getByRole('button', { name: 'Roll back' }).first().click();
    await toast('Version 1 is the current one again').waitFor();
    await page.getByRole('row', { name: /^3.*current/ }).waitFor();
  });

  test('a capability is retired and restored', async () => {
    await open(`/capabilities/${ids.named}`);
    await page.getByRole('button', { name: 'Retire' }).click();
    await page.getByText(/^Retired: agents/).waitFor();
    await undo('Retired');
    await page.getByRole('button', { name: 'Retire' }).waitFor();
    assert.equal(
      (await whois('files:sum_sizes')).name ?? (await whois('files:sum_sizes')).display_name,
      'files:sum_sizes',
    );
  });

  test('several capabilities are tagged at once, and it is taken back', async () => {
    await open('/capabilities');
    await page.getByRole('checkbox', { name: 'Select all shown' }).check();
    await page.getByRole('button', { name: 'Tag…' }).click();
    await page.getByLabel('Tags, separated by commas').fill('together');
    await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click();
    await toast('Changed').waitFor();
    await page.locator('.tag', { hasText: 'together' }).nth(2).waitFor();
    await undo('Changed');
    await toast('Taken back').waitFor();
    await page.locator('.tag', { hasText: 'together' }).first().waitFor({ state: 'detached' });
  });

  /** Selects one capability in the table, presses a button of the batch bar, and answers its question. */
  const changeSelected = async (
    name: string,
    button: string,
    answer?: (dialog: Locator) => Promise<unknown>,
  ) => {
    await open('/capabilities?sort=name');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: button }).click();
    if (answer) {
      await answer(page.getByRole('dialog'));
      await page.getByRole('dialog').locator('.button.primary').click();
    }
    await toast('Changed 1 capability').waitFor();
  };
  const takeBack = async () => {
    await undo('Changed 1 capability');
    await toast('Taken back').waitFor();
  };

  test('capabilities are moved to a namespace in a batch, and it is taken back', async () => {
    await changeSelected('people:remember', 'Namespace…', (dialog) =>
      dialog.getByLabel('Namespace').fill('team'),
    );
    await page.getByRole('link', { name: 'team:remember', exact: true }).waitFor();
    assert.equal((await whois('people:remember')).display_name, 'team:remember');
    await takeBack();
    assert.equal((await whois('team:remember')).display_name, 'people:remember');
  });

  test('who sees capabilities is changed in a batch, and it is taken back', async () => {
    const before = (await whois('people:remember')).visibility;
    assert.notEqual(before, 'org');
    await changeSelected('people:remember', 'Visibility…', (dialog) =>
      dialog.getByLabel('Visibility').selectOption('org'),
    );
    assert.equal((await whois('people:remember')).visibility, 'org');
    await takeBack();
    assert.equal((await whois('people:remember')).visibility, before);
  });

  test('capabilities are retired in a batch, and it is taken back', async () => {
    await changeSelected('people:remember', 'Retire');
    const row = page.getByRole('link', { name: 'people:remember', exact: true });
    await row.waitFor({ state: 'detached' });
    await takeBack();
    await row.waitFor();
    assert.equal((await whois('people:remember')).display_name, 'people:remember');
  });

  test('a recorded run is replayed from its page', async () => {
    await open('/runs?kind=run');
    const runs = page.getByRole('link', { name: 'people:remember', exact: true });
    await runs.last().click();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('The replay did the same.').waitFor();
  });

  test('a page switches to another workspace, and shows its servers and runs', async () => {
    const cwd = gateway.pml.project('other', {
      scope: { org: 'local', project: 'other' },
      mcpServers: { elsewhere: npmServer('everything') },
    });
    const other = await connectPeer(gateway.pml, 'SDK v1', 'stdio', gateway.url, { cwd });
    await other.call('elsewhere:echo', { message: 'from elsewhere' });
    await open('/runs');
    await page.getByLabel('Workspace').selectOption({ label: (await optionOf(page, 'other')) ?? '' });
    await page.getByLabel('Server').selectOption('elsewhere');
    await page.getByRole('link', { name: 'elsewhere:echo' }).first().waitFor();
    // The stream is that of the other workspace, too.
    const rows = page.locator('tbody tr.data');
    assert.equal(await rows.count(), 1);
    await other.call('elsewhere:echo', { message: 'again' });
    await rows.nth(1).waitFor();
    await other.close();
  });

  test('capabilities are searched by intent, filtered, sorted, and columns chosen; the address keeps it', async () => {
    await open('/capabilities');
    await page.getByLabel('Search by intent').fill('who works here');
    await page.waitForURL(/q=who/);
    const first = page.locator('tbody a.name').first();
    await until(page, "document.querySelector('tbody a.name')?.textContent === 'people:remember'");
    await page.reload();
    assert.equal(await first.textContent(), 'people:remember');
    await open('/capabilities');
    await page.getByLabel('State').selectOption('unnamed');
    await until(page, "document.querySelectorAll('tbody a.name').length === 1");
    await open('/capabilities');
    await page.getByRole('button', { name: 'Name' }).click();
    await page.waitForURL(/sort=name/);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Created', { exact: true }).check();
    await page.getByRole('columnheader', { name: 'Created' }).waitFor();
  });

  test('the inbox is worked through by keyboard, and taken back', async () => {
    await open('/inbox?kind=unnamed');
    await page.getByText('Give it this name?').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByLabel('Name').fill('text:count_lines');
    await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
    await toast('Named').waitFor();
    await page.getByText('Nothing waits for you').waitFor();
    assert.equal((await whois('text:count_lines')).display_name, 'text:count_lines');
    await page.keyboard.press('z');
    await page.getByText('Give it this name?').waitFor();
    await page.keyboard.press('d');
    await toast('Dismissed').waitFor();
    await page.getByText('Nothing waits for you').waitFor();
    await undo('Dismissed');
    await page.getByText('Give it this name?').waitFor();
    await page.keyboard.press('a');
    await page.getByText('Nothing waits for you').waitFor();
  });

  test('a tool is tried out, and a wrong argument explained', async () => {
    await open('/tools/everything/get-sum');
    await page.getByLabel(/^a/).fill('x');
    await page.getByLabel(/^b/).fill('3');
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByText('This must be a number.').waitFor();
    await page.getByLabel(/^a/).fill('39');
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByRole('group', { name: 'Content 1' }).getByText('42').waitFor();
  });

  test('a server is restarted', async () => {
    await open('/servers/everything');
    const pid = () => page.locator('dt:text-is("Process") + dd').textContent();
    const before = await pid();
    await page.getByRole('button', { name: 'Restart everything' }).click();
    await toast(/everything is (ready|starting)/).waitFor();
    await until(page, `document.querySelector('dl').textContent.includes('Process${before}') === false`);
    assert.notEqual(await pid(), before);
  });

  test('the playground completes, runs, shows the timeline, points at errors and keeps', async () => {
    await open('/playground');
    const editor = page.locator('.cm-content');
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('const said = await mcp.everything.ec');
    await page.locator('.cm-completionLabel', { hasText: 'echo' }).first().waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(
      `const said = await Promise.all([1, 2].map((n) => mcp.everything.echo({ message: 'number ' + n })));\nreturn said;`,
    );
    await page.keyboard.press('Control+Enter');
    await page.getByRole('group', { name: 'Result' }).getByText('number 2').waitFor();
    await page
      .getByRole('button', { name: /everything:echo/ })
      .nth(1)
      .waitFor();
    await page.getByLabel('What should it do?').fill('say numbers');
    await page.getByLabel(/^Name of the capability/).fill('numbers:say');
    await page.getByRole('button', { name: 'Run and keep' }).click();
    await page.getByRole('link', { name: 'numbers:say' }).waitFor();
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('const one = 1;\nthrow new Error("not like this");');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('not like this').waitFor();
    await page.locator('.cm-marked', { hasText: 'not like this' }).waitFor();
    // Replacing a selection at once makes Chromium itself style what it inserts, and the policy stops that.
    problems = problems.filter((problem) => !problem.startsWith('Applying inline style'));
  });

  test('a capability that is retired while it is looked at says so', async () => {
    const { capabilityId } = await execute(gateway.client, {
      intent: 'read notes',
      name: 'notes:read',
      code: 'return await mcp.filesystem.read_text_file({ path: args.path });',
      args: { path: join(gateway.files, 'notes.md') },
    });
    await open(`/capabilities/${capabilityId}`);
    await page.getByRole('heading', { name: 'notes:read' }).waitFor();
    await gateway.client.callTool({ name: 'cap_retire', arguments: { name: 'notes:read' } });
    await page.getByText(/^Retired: agents/).waitFor();
  });
});

/** Toasts go after some seconds. On a busy machine it may take longer until their button is pressed. */
const PATIENT_TOASTS = `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, ms, ...given) => setTimeout(act, ms >= 7000 ? 20 * ms : ms, ...given);
}`;

/** The label of the workspace whose config stands in that folder. */
async function optionOf(page: Page, folder: string): Promise<string | undefined> {
  const labels = await page.getByLabel('Workspace').locator('option').allTextContents();
  return labels.find((label) => label.includes(folder));
}
