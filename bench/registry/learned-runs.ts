import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { trustFile } from '../../src/config/index.ts';
import type { Principal } from '../../src/principal.ts';
import { hashOfCalls } from '../../src/registry/procedures/index.ts';
import { type Client, lineClient } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import { median, percentile } from '../support/stats.ts';
import { timed } from './names.ts';
import type { Population } from './shape.ts';
import type { Store } from './stores.ts';

export interface LearnedRow {
  size: number;
  writers: number;
  /** Whether capabilities use the same tools, with which the run is compared. */
  candidates: 'with' | 'without';
  runs: number;
  p50: number;
  p95: number;
  max: number;
  /** Compared with a run of the same code that is not remembered. */
  ratio: number;
}

export interface BesideRow {
  size: number;
  /** How many runs another user sent at once. */
  runs: number;
  /** How long they all took, and the `cap_list` of a user beside them. */
  seconds: number;
  lists: number;
  p50: number;
  p95: number;
  max: number;
  /** The same list with nothing beside it. */
  aloneMs: number;
}

export interface LearnedReport {
  runs: LearnedRow[];
  beside: BesideRow[];
}

const MAKER: Principal = { user: 'maker', org: 'org0', project: 'p0' };
const NEIGHBOUR: Principal = { ...MAKER, user: 'neighbour' };
const TOOL = 'bench:tool_1';
/** All capabilities are one user's and call one tool, so that every run has as many candidates as it can. */
export const ONE_USER: Population = {
  ...{ org: `'${MAKER.org}'`, project: `'${MAKER.project}'`, user: `'${MAKER.user}'` },
  tool: TOOL,
  callsHash: hashOfCalls([TOOL, TOOL]) ?? null,
};

const SETTINGS = { expose: 'lean', curation: { model: 'none' }, discovery: { embeddings: 'none' } };
const TOOLS = 400;
/** The pairs of these are enough that no two runs without candidates share theirs. */
const FREE_TOOLS = TOOLS - 2;
const SERVER = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../fixtures/echo-stdio.ts', import.meta.url)), 'legacy', String(TOOLS)],
};

let count = 0;

/** Code that no capability has: the keys of a result are no data. */
function newCode(candidates: LearnedRow['candidates']): string {
  count += 1;
  const some = count % FREE_TOOLS;
  const other = (some + 1 + Math.floor(count / FREE_TOOLS)) % FREE_TOOLS;
  const [first, second] = candidates === 'with' ? [1, 1] : [2 + some, 2 + other];
  return `const first = await mcp.bench.tool_${first}({ message: 'one' });
const second = await mcp.bench.tool_${second}({ message: 'two' });
return { key_${process.pid}_${count}: first.length + second.length, second };`;
}

/** Measures runs that are remembered through a daemon on a filled database. */
export async function measureLearned(
  store: Store,
  size: number,
  { runs, atOnce }: { runs: number; atOnce: number },
): Promise<LearnedReport> {
  const home = new Home({ bench: SERVER }, SETTINGS);
  Object.assign(home.env, store.env, scopeOf(MAKER));
  trustFile(store.env.PML_HOME as string, join(home.dir, 'pml.json'));
  const report: LearnedReport = { runs: [], beside: [] };
  const sessions: Client[] = [];
  const open = async (who: Principal) => {
    Object.assign(home.env, scopeOf(who));
    const session = await lineClient(home.command('serve'), 'legacy');
    sessions.push(session);
    return session;
  };
  try {
    const makers: Client[] = [];
    for (let n = 0; n < 8; n++) makers.push(await open(MAKER));
    const neighbour = await open(NEIGHBOUR);
    for (const maker of makers) await learn(maker, 'with');
    for (const candidates of ['without', 'with'] as const) {
      const base: number[] = [];
      for (let n = 0; n < 40; n++)
        base.push(await timed(() => learn(makers[0] as Client, candidates, false)));
      for (const writers of [1, 8])
        report.runs.push({
          ...{ size, writers, candidates, runs },
          ...(await learnAll(makers.slice(0, writers), candidates, runs, median(base))),
        });
    }
    report.beside.push({ size, ...(await listBeside(makers[0] as Client, neighbour, atOnce)) });
    return report;
  } finally {
    for (const session of sessions) await session.close();
    await home.close();
  }
}

async function learnAll(
  makers: readonly Client[],
  candidates: LearnedRow['candidates'],
  runs: number,
  base: number,
) {
  const times: number[] = [];
  let left = runs;
  await Promise.all(
    makers.map(async (maker) => {
      while (left-- > 0) times.push(await timed(() => learn(maker, candidates)));
    }),
  );
  const p50 = median(times);
  return { p50, p95: percentile(times, 0.95), max: Math.max(...times), ratio: p50 / base };
}

/** Lists as one user while another one sends many runs at once. */
async function listBeside(maker: Client, neighbour: Client, runs: number) {
  const list = () => neighbour.request('tools/call', { name: 'cap_list', arguments: {} });
  const alone: number[] = [];
  for (let n = 0; n < 20; n++) alone.push(await timed(list));
  const began = performance.now();
  let left = runs;
  const all = Promise.all(
    Array.from({ length: runs }, () => learn(maker, 'without').finally(() => (left -= 1))),
  );
  const times: number[] = [];
  while (left > 0) {
    times.push(await timed(list));
    // A person's pace; without it the lists would be a load of their own.
    await sleep(20);
  }
  await all;
  return {
    runs,
    seconds: (performance.now() - began) / 1000,
    lists: times.length,
    p50: median(times),
    p95: percentile(times, 0.95),
    max: Math.max(...times),
    aloneMs: median(alone),
  };
}

async function learn(session: Client, candidates: LearnedRow['candidates'], remember = true): Promise<void> {
  const run = { intent: `join two echoes ${count}`, code: newCode(candidates), options: { remember } };
  const { isError, structuredContent, content } = await session.request('tools/call', {
    name: 'pml_execute',
    arguments: run,
  });
  const fqdn = structuredContent?.capabilityFqdn;
  if (isError || (remember && fqdn === undefined)) throw new Error(JSON.stringify(content));
}

function scopeOf({ user, org, project }: Principal): Record<string, string> {
  return { PML_ORG: org, PML_PROJECT: project, PML_USER: user };
}
