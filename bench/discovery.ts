/**
 * Measures how well and how fast tools are found by intent, on real queries.
 *
 *   node bench/discovery.ts [--smoke] [--json] [--queries dev.queries.jsonl] [--weights FOLDER]
 */
import { cpus, loadavg } from 'node:os';
import { findLocalModel, findRuntime, NOTHING_FITS } from '../src/discovery/index.ts';
import { homeOf } from '../src/home.js';
import { type Cost, manyEntries, measureCost } from './discovery/cost.ts';
import { dataFolder, readSets } from './discovery/data.ts';
import { measureWithEmbeddings } from './discovery/embeddings.ts';
import {
  indexOf,
  measureQuality,
  measureThresholds,
  type Quality,
  type Threshold,
} from './discovery/quality.ts';
import { printReport } from './discovery/report.ts';
import { benchOptions } from './support/options.ts';

const HELP = `node bench/discovery.ts [options]
  --smoke         every tenth query, and no more than 3,000 entries
  --queries FILE  the name of the file of queries in each set (dev.queries.jsonl)
  --weights DIR   also measure with embeddings, from the model in this folder or, for "installed", in a package;
                  packages are found beside PML and in PML_HOME/node_modules
  --json          print JSON alone
Run it with --expose-gc (npm run bench:discovery does) to measure memory.
The data is read from ${dataFolder()}; PML_DATA names the folder that holds azure-mcp/, toolbench/ and bfcl/.
`;

export interface Report {
  bench: 'discovery';
  machine: { cpus: number; node: string; loadBefore: number; loadAfter: number };
  quality: Quality[];
  /** Empty if they were not asked for. */
  withEmbeddings: Quality[];
  thresholds: Threshold[];
  nothingFits: number;
  costs: Cost[];
}

const values = benchOptions(HELP, {
  queries: { type: 'string', default: 'dev.queries.jsonl' },
  weights: { type: 'string' },
});

const loadBefore = loadavg()[0] as number;
const sets = readSets(values.queries).map((set) => ({
  ...set,
  queries: set.queries.filter((_, at) => !values.smoke || at % 10 === 0),
}));
const indexes = new Map(
  await Promise.all(sets.map(async ({ name, entries }) => [name, await indexOf(entries)] as const)),
);
const quality: Quality[] = [];
for (const set of sets) quality.push(await measureQuality(set, indexes.get(set.name) ?? never(set.name)));
const model = modelOf(values.weights);
const withEmbeddings = model === undefined ? [] : await measureWithEmbeddings(sets, model);
const thresholds = measureThresholds(sets, indexes);
indexes.clear();
const tools = sets.flatMap(({ entries }) => entries);
const intents = sets
  .flatMap(({ queries }) => queries.map(({ query }) => query))
  .filter((_, at) => at % 3 === 0);
const costs: Cost[] = [];
for (const count of values.smoke ? [3000] : [3000, 10_000, 100_000])
  costs.push(await measureCost(manyEntries(tools, count), intents));
const report: Report = {
  bench: 'discovery',
  machine: { cpus: cpus().length, node: process.version, loadBefore, loadAfter: loadavg()[0] as number },
  quality,
  withEmbeddings,
  thresholds,
  nothingFits: NOTHING_FITS,
  costs,
};
if (!values.json) printReport(report);
process.stdout.write(`${JSON.stringify(report)}\n`);

function modelOf(weights: string | undefined) {
  if (weights === undefined) return undefined;
  const home = homeOf(process.env);
  const runtime = findRuntime(home);
  const model = weights === 'installed' ? findLocalModel(home) : runtime && { runtime, weights };
  if (!model) throw new Error(`The packages are installed neither beside PML nor in ${home}.`);
  return model;
}

function never(name: string): never {
  throw new Error(`no index of ${name}`);
}
