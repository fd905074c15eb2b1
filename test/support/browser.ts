import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { eventually } from '../../src/testing/wait.ts';

const PLACES = [
  process.env.PML_CHROMIUM,
  // The same engine without the browser's own windows, which take a quarter of the processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/** The Chromium that drives the pages; undefined if there is none. */
export const CHROMIUM = PLACES.find((place) => place !== undefined && existsSync(place));

/**
 * Why tests in a browser are skipped; false if they run. With PML_BROWSER_TESTS=required, as in `.ci/run`, a missing browser
 * is an error.
 */
export const noBrowser: string | false = CHROMIUM
  ? false
  : 'SKIPPED: no Chromium on this machine. `apt-get install chromium-headless-shell`, or set PML_CHROMIUM to one.';
if (noBrowser && process.env.PML_BROWSER_TESTS === 'required') throw new Error(noBrowser);

/** One process draws all pages of a test, and without a graphics card nothing is gained by a process that looks for one. */
const FLAGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-gpu',
  '--renderer-process-limit=1',
];

/** Even on a busy machine, something that takes longer will not come. */
const PATIENCE_MS = 120_000;

/** Starts Chromium. Whoever starts it closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM as string,
    args: FLAGS,
    timeout: PATIENCE_MS,
  });
}

/** A page, and what went wrong on it: errors of scripts, and what the content security policy stopped. */
export interface WatchedPage {
  page: Page;
  problems: string[];
}

/** Opens a page that does not wait for ever. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`${error.message}\n${error.stack}`));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) problems.push(message.text());
  });
  return { page, problems };
}

/** Waits until an expression holds on the page. Playwright's own way evaluates strings in the page, which its policy forbids. */
export async function until(page: Page, expression: string): Promise<void> {
  await eventually(() => page.evaluate(expression), expression, PATIENCE_MS);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Returns what axe-core finds wrong with the page as it is, one line each; with `rules`, by these alone. */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page's policy forbids scripts from elsewhere, but not code that the debugger evaluates.
  await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: Violation[];
  };
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary ?? ''}`,
    ),
  );
}
