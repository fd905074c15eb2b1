/**
 * Sizes that no test can make by real runs in seconds. The capabilities of the table and the inbox are written into the store;
 * the answers for a run of 10,000 calls and a graph of 5,000 nodes are made up here. `bench/dashboard.ts` measures 100,000.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { seed } from '../../bench/dashboard/seed.ts';
import { openDb } from '../../src/store/index.ts';
import { eventually } from '../../src/testing/wait.ts';
import { launchBrowser, noBrowser, openPage, until } from '../support/browser.ts';
import { Pml } from '../support/pml.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const CAPABILITIES = 3000;
const AT = '2026-01-02T03:04:05.000Z';

describe('large homes', { skip: noBrowser }, () => {
  const pml = new Pml({ after }, {}, { PML_USER: 'ana' });
  let url: string;
  let browser: Browser;
  after(() => browser?.close());
  before(async () => {
    await onUsualEngine(pml);
    const databaseUrl = pml.env.PML_DATABASE_URL;
    const db = await openDb({ home: pml.home, ...(databaseUrl && { databaseUrl }) });
    await seed(db, { capabilities: CAPABILITIES, rows: 1000, user: 'ana' });
    for (const statement of CROWD) await db.query(statement);
    await db.close();
    const [up, launched] = await Promise.all([pml.up(), launchBrowser()]);
    [url, browser] = [up.url, launched];
  });

  const answerFrom = (page: Page, path: RegExp, answer: (query: URLSearchParams) => object) =>
    page.route(path, (route: Route) =>
      route.fulfill({ json: answer(new URL(route.request().url()).searchParams) }),
    );

  test('a table of many capabilities loads as it is scrolled, and keeps few rows in the document', async () => {
    const { page, problems } = await openPage(browser);
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/capabilities?')) asked++;
    });
    await page.goto(`${url}/capabilities?sort=created&order=asc`);
    await page.getByText('3,000').waitFor();
    const rows = page.locator('tbody tr.data');
    await rows.first().waitFor();
    assert.equal(asked, 1);
    const scroller = page.locator('.table-wrap');
    for (const row of [90, 190, 290]) {
      await scroller.evaluate((element, to) => element.scrollTo(0, to * 36), row);
      await until(page, `document.querySelector('.table-wrap').scrollHeight > ${(row + 20) * 36}`);
    }
    await until(page, `[...document.querySelectorAll('tr.data')].some((row) => row.ariaRowIndex > 290)`);
    assert.ok((await rows.count()) < 80, `${await rows.count()} rows in the document`);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('a view reads what it shows first, once, and the shell counts the inbox afterwards', async () => {
    for (const [path, read, later, shown] of [
      ['/capabilities', '/capabilities?limit=100', ['/capabilities/count', '/inbox/counts'], 'tr.data'],
      ['/', '/overview?since=24h', ['/inbox/counts'], '.figure .value'],
    ] as const) {
      const { page, problems } = await openPage(browser);
      const traffic: string[] = [];
      const note = (what: string, address: string) => {
        const [, api] = address.split('/api/v1');
        if (api && !/^\/(?:session|events)/.test(api)) traffic.push(`${what} ${api}`);
      };
      page.on('request', (request) => note('asks', request.url()));
      page.on('response', (response) => note('gets', response.url()));
      await page.goto(`${url}${path}`);
      await page.locator(shown).first().waitFor();
      await page.locator('.nav-item .count').waitFor();
      assert.deepEqual(
        traffic.filter((line) => !later.some((one) => line === `gets ${one}`)),
        [`asks ${read}`, `gets ${read}`, ...later.map((one) => `asks ${one}`)],
      );
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });

  test('a table that was read before the stream of changes began is read once more', async () => {
    const { page, problems } = await openPage(browser);
    const asOf = ['test-4', 'test-5'];
    let asked = 0;
    await page.route(/\/api\/v1\/events/, (route) => route.abort());
    await page.route(/\/api\/v1\/session/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), last_event: 'test-5' } });
    });
    await page.route(/\/api\/v1\/capabilities\?/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), as_of: asOf[asked++] } });
    });
    await page.goto(`${url}/capabilities`);
    await page.locator('tr.data').first().waitFor();
    await eventually(() => asked === 2, 'a second reading');
    await page.getByLabel('State').selectOption('stale');
    await eventually(() => asked === 3, 'the reading of the filtered table, and none before it');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('an inbox that shows only a part says so', async () => {
    const { page, problems } = await openPage(browser);
    await page.goto(`${url}/inbox?kind=unnamed`);
    await page.getByText('100 of 300 shown').waitFor();
    assert.equal(await page.locator('.inbox-row').count(), 100);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('lists of a capability that are shortened say so', async () => {
    const { page, problems } = await openPage(browser);
    const list = await fetch(`${url}/api/v1/capabilities?namespace=${CROWDED}`);
    const { items } = (await list.json()) as { items: { id: string }[] };
    const address = `${url}/capabilities/${items[0]?.id}`;
    await page.goto(address);
    await page.getByRole('region', { name: 'Called by' }).getByText('50 of 250 shown').waitFor();
    await page.goto(`${address}?tab=versions`);
    await page.getByText('500 of 600 shown').waitFor();
    await page.goto(`${address}?tab=graph`);
    await page.getByText('190 more not drawn').waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('a run of 10,000 calls is a timeline that scrolls', async () => {
    const { page, problems } = await openPage(browser);
    await answerFrom(page, /\/api\/v1\/runs\/big/, (query) => {
      const from = Number(query.get('calls_cursor') ?? 0);
      const calls = Array.from({ length: 1000 }, (_, index) => call(from + index));
      const next = from + 1000 < 10_000 ? { calls_next: String(from + 1000) } : {};
      return { ...RUN, calls, calls_total: 10_000, ...next };
    });
    await page.goto(`${url}/runs/big`);
    await page.getByText('10,000 calls').first().waitFor();
    const bars = page.locator('.call-row');
    for (let thousand = 1; thousand < 10; thousand++) {
      await page.locator('.timeline').evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await until(
        page,
        `document.querySelector('.timeline ul').offsetHeight >= ${(thousand + 1) * 1000 * 26}`,
      );
    }
    await page.locator('.timeline').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.getByRole('button', { name: /^tool_9999/ }).click();
    await page.getByRole('group', { name: 'Arguments of the call' }).getByText('9999').waitFor();
    assert.ok((await bars.count()) < 80, `${await bars.count()} bars in the document`);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('a graph of 5,000 nodes is drawn, searched, moved and opened', async () => {
    const { page, problems } = await openPage(browser);
    await answerFrom(page, /\/api\/v1\/graph/, () => graph(5000));
    await page.goto(`${url}/graph`);
    await page.getByText('5,000 nodes').waitFor();
    await until(
      page,
      `(() => {
      const canvas = document.querySelector('.graph-canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value) => value > 0);
    })()`,
    );
    await page.mouse.move(700, 400);
    await page.mouse.down();
    await page.mouse.move(760, 430, { steps: 5 });
    await page.mouse.up();
    await page.mouse.wheel(0, -300);
    await page.getByLabel('Find a node').fill('tool_77 s17');
    await page.getByRole('link', { name: 's17:tool_77', exact: true }).hover();
    assert.equal(new URL(page.url()).pathname, '/graph');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('a graph is neither laid out nor drawn anew while it is dragged or pointed at', async () => {
    const { page, problems } = await openPage(browser);
    await page.addInitScript(COUNT_GRAPH_WORK);
    await answerFrom(page, /\/api\/v1\/graph/, () => graph(1000));
    await page.goto(`${url}/graph`);
    const work = async () => (await page.evaluate('globalThis.graphWork')) as GraphWork;
    await until(page, 'graphWork.steps === 1');
    await page.evaluate('graphWork.deliver()');
    await until(page, 'graphWork.steps === 2');
    const { drawn } = await work();
    assert.ok(drawn > 0);

    await page.mouse.move(700, 400);
    await page.mouse.down();
    await page.evaluate('graphWork.deliver()');
    await page.mouse.move(760, 430, { steps: 5 });
    await page.evaluate('graphWork.frames(3)');
    assert.equal((await work()).asked, 2, 'the next step is not asked for while the view is held');
    await page.mouse.up();
    await until(page, 'graphWork.asked === 3');

    // At rest only the canvas above is drawn again, which has less than a tenth of the nodes.
    await page.evaluate('graphWork.drawn = 0');
    await page.getByLabel('Find a node').fill('tool_77 s17');
    await page.getByRole('link', { name: 's17:tool_77', exact: true }).waitFor();
    await page.evaluate('graphWork.frames(3)');
    assert.ok((await work()).drawn < 100, `${(await work()).drawn} circles`);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});

interface GraphWork {
  /** Steps of the layout that the page asked for, and those that are there. */
  asked: number;
  steps: number;
  /** Circles that were drawn. */
  drawn: number;
}

/** Counts the work on a graph, and hands a step of the layout to the page only when the test says so. */
const COUNT_GRAPH_WORK = `{
  const waiting = [];
  const work = { asked: 0, steps: 0, drawn: 0, deliver: () => waiting.shift()() };
  work.frames = async (count) => {
    for (let at = 0; at < count; at++) await new Promise((resolve) => requestAnimationFrame(resolve));
  };
  globalThis.graphWork = work;
  globalThis.Worker = class extends Worker {
    postMessage(message) {
      work.asked++;
      super.postMessage(message);
    }
    set onmessage(listener) {
      super.onmessage = (event) => {
        work.steps++;
        waiting.push(() => listener(event));
      };
    }
  };
  const { arc } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.arc = function (...given) {
    work.drawn++;
    return arc.apply(this, given);
  };
}`;

const CROWDED = 'crowd';

/** Gives one capability 250 callers and 600 versions, and a name of its own by which it is found. */
const CROWD = [
  `update capability_records set display_name = '${CROWDED}:one', version = 600 where pattern_id = 'seed1'`,
  `insert into capability_versions (capability_fqdn, version, pattern_id, updated_by)
   select id, n, pattern_id, 'ana' from capability_records, generate_series(2, 600) n where pattern_id = 'seed1'`,
  `insert into capability_uses (fqdn, version, callee, org, project, passed)
   select r.id, 1, one.id, r.org, r.project, '[]' from capability_records r, capability_records one
   where one.pattern_id = 'seed1' and r.pattern_id in (select 'seed' || n from generate_series(11, 260) n)`,
];

const RUN = {
  id: 'big',
  at: AT,
  kind: 'run',
  name: 'pml_execute',
  ok: true,
  cached: false,
  ms: 100_000,
  user: 'ana',
  logs: [],
};

function call(number: number): object {
  const timing = { start_ms: number * 10, ms: 25, ok: true, cached: false, depth: 1 };
  return { id: `call-${number}`, name: `tool_${number}`, ...timing, args: { number } };
}

function graph(count: number): object {
  const servers = Array.from({ length: 20 }, (_, at) => ({
    id: `s${at}`,
    kind: 'server',
    name: `s${at}`,
    calls: 9,
  }));
  const tools = Array.from({ length: count - servers.length }, (_, at) => {
    const server = `s${at % 20}`;
    return {
      id: `t${at}`,
      kind: at % 3 ? 'tool' : 'capability',
      name: `${server}:tool_${at}`,
      calls: at % 50,
    };
  });
  const edges = tools.map(({ id }, at) => ({
    from: id,
    to: at % 2 ? `s${at % 20}` : `t${(at * 7) % tools.length}`,
  }));
  return { nodes: [...servers, ...tools], edges, truncated: false };
}
