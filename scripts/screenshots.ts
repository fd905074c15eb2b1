// Writes docs/images/*.png, a picture of each view: `npm run screenshots`. The home is filled by real runs over real servers; the
// daemon's clock runs through a day meanwhile, so that the charts show one.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../test/support/browser.ts';
import { npmServer, Pml } from '../test/support/pml.ts';
import { buildPackage } from './build.ts';
import { type Filled, fillDay } from './screenshots/fill-day.ts';

const ROOT = path.join(import.meta.dirname, '..');
const IMAGES = path.join(ROOT, 'docs', 'images');

interface Shown extends Filled {
  url: string;
  /** The id of the run that is shown in detail. */
  run: string;
}

interface Shot {
  file: string;
  path: (filled: Shown) => string;
  /** The part that must be there before the picture is taken. */
  until: (page: Page) => Promise<unknown>;
  isDark?: boolean;
}

const seen = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();
const SHOTS: Shot[] = [
  { file: 'overview', path: () => '/', until: seen('.chart canvas') },
  { file: 'overview-dark', path: () => '/', until: seen('.chart canvas'), isDark: true },
  { file: 'capabilities', path: () => '/capabilities', until: seen('tr.data') },
  { file: 'capability', path: ({ capability }) => `/capabilities/${capability}`, until: seen('.code-line') },
  {
    file: 'versions',
    path: ({ capability }) => `/capabilities/${capability}?tab=versions`,
    until: seen('.diff .add'),
  },
  { file: 'inbox', path: () => '/inbox', until: seen('.inbox-item .code-line') },
  { file: 'runs', path: () => '/runs', until: seen('tr.data') },
  { file: 'run', path: ({ run }) => `/runs/${run}`, until: seen('.call-bar') },
  { file: 'tools', path: () => '/tools?sort=calls', until: seen('tr.data') },
  { file: 'tool', path: () => '/tools/everything/get-sum', until: tryTool },
  { file: 'servers', path: () => '/servers', until: seen('tr.data') },
  { file: 'agent', path: () => '/agents/analyst', until: seen('.list-item') },
  { file: 'graph', path: () => '/graph', until: (page) => page.waitForTimeout(6000), isDark: true },
  { file: 'playground', path: () => '/playground', until: runCode, isDark: true },
];

async function tryTool(page: Page): Promise<void> {
  await page.getByLabel(/^a/).fill('19');
  await page.getByLabel(/^b/).fill('23');
  await page.getByRole('button', { name: 'Call' }).click();
  await page.getByRole('group', { name: 'Content 1' }).waitFor();
}

async function runCode(page: Page): Promise<void> {
  await page.getByLabel('What should it do?').fill('greet several people at once');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(`const names = ['Ana', 'Bo', 'Chen', 'Dara'];
const said = await Promise.all(
  names.map((name) => mcp.everything.echo({ message: \`Hello, \${name}\` })),
);
return said;
`);
  await page.keyboard.press('Control+Enter');
  await page.locator('.call-bar').first().waitFor();
}

await buildPackage();
const closers: (() => Promise<void>)[] = [];
const pml = new Pml({ after: (close: () => Promise<void>) => closers.push(close) } as never);
try {
  await takeAll();
} finally {
  for (const close of closers.reverse()) await close();
}

async function takeAll(): Promise<void> {
  const filled = await startFilled();
  const browser = await chromium.launch({
    executablePath: CHROMIUM as string,
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  closers.push(() => browser.close());
  mkdirSync(IMAGES, { recursive: true });
  for (const shot of SHOTS) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: shot.isDark ? 'dark' : 'light',
    });
    const page = await context.newPage();
    await page.goto(filled.url + shot.path(filled));
    await shot.until(page);
    // Charts and fonts settle.
    await page.waitForTimeout(800);
    await page.screenshot({ path: path.join(IMAGES, `${shot.file}.png`) });
    await context.close();
    console.log(`docs/images/${shot.file}.png`);
  }
}

async function startFilled(): Promise<Shown> {
  const clock = path.join(pml.dir, 'clock');
  writeFileSync(clock, '0');
  const preload = pathToFileURL(path.join(ROOT, 'test', 'fixtures', 'shifted-clock.ts')).href;
  Object.assign(pml.env, { PML_USER: 'ana', PML_TEST_CLOCK: clock, NODE_OPTIONS: `--import=${preload}` });
  const files = path.join(pml.dir, 'shop');
  pml.configure({
    mcpServers: {
      filesystem: npmServer('filesystem', files),
      memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: path.join(pml.dir, 'memory.json') } },
      everything: npmServer('everything'),
    },
    agents: {
      analyst: {
        systemPrompt: 'You answer questions about the shop from its files.',
        capabilities: {
          filesystem: { tools: ['read_text_file', 'list_directory', 'get_file_info'] },
          capabilities: {},
        },
      },
    },
  });
  mkdirSync(files);
  const { url } = await pml.up();
  const filled = await fillDay(await pml.http(url), files, (ms) => writeFileSync(clock, String(ms)));
  return { url, ...filled, run: await lastRunOf(url, filled.capability) };
}

async function lastRunOf(url: string, capability: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/runs?kind=run&capability=${capability}&limit=1`);
  const { items } = (await answer.json()) as { items: { id: string }[] };
  return items[0]?.id ?? '';
}
