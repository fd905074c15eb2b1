import { isReadOnlyTool } from '../../src/code/index.ts';
import type { JsonSchema } from '../../src/json.ts';
import { Choices } from '../../src/testing/programs/choices.ts';
import { differenceOf } from '../../src/testing/programs/compare-runs.ts';
import { type ProgramRun, runProgram } from '../../src/testing/programs/run-program.ts';
import { PLAIN_STYLE, type Procedure, type Style } from '../../src/testing/programs/styles/procedure.ts';
import { writeProgram } from '../../src/testing/programs/styles/write-program.ts';
import { percentile } from '../support/stats.ts';
import type { Answering, Bed, Capability, Project, Remembered } from './bed.ts';
import { type Data, type Item, type LinkMode, procedureOf, skeletonOf, withOtherData } from './data.ts';
import { variedStyle } from './styles.ts';

/** The figures for one way to write what an earlier call returned. */
export interface ModeReport {
  readonly mode: LinkMode;
  readonly reuse: ReuseRow[];
  /** The literal program and a varied one of the same item. */
  readonly pairs: PairRow;
  /** The same without guards: all of these do the same. */
  readonly pairsWithoutGuards: PairRow;
  /** The literal program and the same program over other data. */
  readonly otherData: PairRow;
  readonly programs: number;
  readonly wrongMerges: string[];
  /** Calls that PML named for a run, and that were made without PML. */
  readonly replays: number;
  readonly replayDifferences: string[];
  readonly ms: { p50: number; p95: number };
}

/** A program that ran, and what PML made of it. */
interface Lived {
  readonly procedure: Procedure;
  readonly item: Item;
  readonly source: string;
  /** Programs that differ here do something else, and must not be one capability. */
  readonly behaviour: string;
  readonly skeleton: string;
  readonly run: ProgramRun;
  readonly remembered: Remembered;
}

/** Sends one program of each item and style to a PML that knows none of them. */
export async function measureMode(bed: Bed, data: Data, mode: LinkMode, rounds: number): Promise<ModeReport> {
  return bed.inProject(mode, async (project) => {
    const all = (styleOf: (choices: Choices) => Style, how: { seed?: string; other?: boolean } = {}) =>
      liveAll(project, data, mode, styleOf, how);
    const rows = [await all(() => PLAIN_STYLE), await all(() => PLAIN_STYLE, { other: true })];
    for (let round = 0; round < rounds; round++) {
      rows.push(await all((choices) => variedStyle(choices), { seed: `varied ${round}` }));
      rows.push(await all((choices) => variedStyle(choices, { guards: false }), { seed: `free ${round}` }));
    }
    const [literal = [], other = [], ...drawn] = withoutRefused(rows);
    const varied = drawn.filter((_, at) => at % 2 === 0);
    const free = drawn.filter((_, at) => at % 2 === 1);
    const everything = [literal, other, ...drawn].flat();
    const pairsWith = (rows: readonly Lived[][]) =>
      pairRow(rows.flatMap((row) => row.map((one, at) => [literal[at] as Lived, one] as const)));
    const times = everything.map(({ remembered }) => remembered.ms);
    return {
      mode,
      reuse: [
        reuseRow('literal', literal),
        ...varied.map((row, round) => reuseRow(`varied, round ${round + 1}`, row)),
        ...free.map((row, round) => reuseRow(`varied without guards, round ${round + 1}`, row)),
      ],
      pairs: pairsWith(varied),
      pairsWithoutGuards: pairsWith(free),
      otherData: pairsWith([other]),
      programs: everything.length,
      wrongMerges: wrongMerges(everything),
      ...(await replayAll(project, everything)),
      ms: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
    };
  });
}

/** Leaves out the items of which PML refused a program: their record holds arguments that a tool's schema forbids. */
function withoutRefused(rows: readonly (readonly (Lived | undefined)[])[]): Lived[][] {
  return rows.map((row) =>
    row.filter(
      (one, at): one is Lived => one !== undefined && rows.every((other) => other[at] !== undefined),
    ),
  );
}

/** Writes, runs and learns one program for each item, in a style. Undefined for those that PML refuses to run. */
async function liveAll(
  project: Project,
  data: Data,
  mode: LinkMode,
  styleOf: (choices: Choices) => Style,
  { seed = '', other = false },
): Promise<(Lived | undefined)[]> {
  const lived: (Lived | undefined)[] = [];
  for (const item of data.items) {
    const written = procedureOf(item, mode);
    const procedure = other ? withOtherData(written, data.tools, item.id) : written;
    const choices = Choices.seeded(`${seed} ${item.id}`);
    lived.push(await live(project, item, procedure, styleOf(choices), choices));
  }
  return lived;
}

async function live(
  project: Project,
  item: Item,
  procedure: Procedure,
  style: Style,
  choices: Choices,
): Promise<Lived | undefined> {
  const { source, behaviour } = writeProgram(procedure, style, choices);
  const run = await runRecorded(source, procedure, item);
  const skeleton = skeletonOf(procedure);
  // The first line of the intent alone: what a user says may quote the secrets that the data holds.
  const intent = item.intent.split('\n')[0] as string;
  const remembered = await project.learn(source, intent, answersOf(procedure, item));
  if (remembered === 'refused') return undefined;
  return { item, procedure, source, behaviour: `${skeleton} ${behaviour}`, skeleton, run, remembered };
}

/** Runs a program of the generator in this process, against its record. */
export async function runRecorded(source: string, procedure: Procedure, item: Item): Promise<ProgramRun> {
  const run = await runProgram(source, { answer: answersOf(procedure, item) });
  if (run.outcome.kind === 'returned') return run;
  throw new Error(`A program of the generator does not run: ${run.outcome.text}\n${source}`);
}

/** Answers as the record has it, the same calls in their order. */
export function answersOf({ calls }: Procedure, { id }: Item): Answering {
  const byTool = Map.groupBy(calls, ({ server, tool }) => `${server}:${tool}`);
  const asked = new Map<string, number>();
  return ({ name }) => {
    const recorded = byTool.get(name);
    const at = asked.get(name) ?? 0;
    asked.set(name, at + 1);
    if (!recorded) throw new Error(`${id} calls ${name}, which is not in the record`);
    return { value: recorded[Math.min(at, recorded.length - 1)]?.result ?? null };
  };
}

export interface ReuseRow {
  readonly style: string;
  readonly items: number;
  readonly skeletons: number;
  readonly capabilities: number;
  /** (items − capabilities) / (items − skeletons). */
  readonly reuse: number;
  /** The reuse that remains possible: programs that do something else are rightly others. */
  readonly ceiling: number;
  readonly refused: number;
}

function reuseRow(style: string, lived: readonly Lived[]): ReuseRow {
  const skeletons = new Set(lived.map(({ skeleton }) => skeleton)).size;
  const behaviours = new Set(lived.map(({ behaviour }) => behaviour)).size;
  const refused = lived.filter(({ remembered }) => remembered.fqdn === undefined).length;
  const capabilities = new Set(lived.flatMap(({ remembered }) => remembered.fqdn ?? [])).size + refused;
  const share = (kinds: number) => (lived.length - kinds) / (lived.length - skeletons);
  return {
    style,
    items: lived.length,
    skeletons,
    capabilities,
    reuse: share(capabilities),
    ceiling: share(behaviours),
    refused,
  };
}

export interface PairRow {
  readonly pairs: number;
  readonly one: number;
}

/** How many pairs of programs for one procedure are one capability. */
function pairRow(pairs: readonly (readonly [Lived, Lived])[]): PairRow {
  const isOne = ([{ remembered: one }, { remembered: other }]: readonly [Lived, Lived]) =>
    one.fqdn !== undefined && one.fqdn === other.fqdn;
  return { pairs: pairs.length, one: pairs.filter(isOne).length };
}

/** Capabilities that hold programs which do something else. */
function wrongMerges(lived: readonly Lived[]): string[] {
  const kept = lived.filter(({ remembered }) => remembered.fqdn !== undefined);
  return [...Map.groupBy(kept, ({ remembered }) => remembered.fqdn).values()].flatMap((same) => {
    const [first, other] = [...Map.groupBy(same, ({ behaviour }) => behaviour).values()].map(([one]) => one);
    return first && other
      ? [`${first.behaviour}\n${first.source}\n--- was merged with ---\n${other.behaviour}\n${other.source}`]
      : [];
  });
}

/** Makes the call that PML named for each run, without PML, and compares it with the run. */
async function replayAll(
  project: Project,
  lived: readonly Lived[],
): Promise<{ replays: number; replayDifferences: string[] }> {
  const known = new Map<string, Capability>();
  const replayDifferences: string[] = [];
  let replays = 0;
  // Calls that only read may run at the same time, so their order does not count.
  const isReadOnly = (name: string) => isReadOnlyTool({ name });
  for (const { item, procedure, source, run, remembered } of lived) {
    const { fqdn, args } = remembered;
    if (fqdn === undefined || args === undefined) continue;
    const { code, parameters } = known.get(fqdn) ?? (await project.lookup(fqdn));
    known.set(fqdn, { code, parameters });
    const filled = { ...defaultsOf(parameters), ...args };
    const found = await runProgram(code, { args: filled, answer: answersOf(procedure, item) });
    const difference = differenceOf(run, found, isReadOnly);
    replays += 1;
    if (difference !== undefined)
      replayDifferences.push(`${difference}\n${source}\n--- is ---\n${JSON.stringify(filled)}\n${code}`);
  }
  return { replays, replayDifferences };
}

function defaultsOf({ properties = {} }: JsonSchema): Record<string, unknown> {
  const defaults = Object.entries(properties).flatMap(([name, schema]) =>
    typeof schema === 'object' && 'default' in schema ? [[name, schema.default]] : [],
  );
  return Object.fromEntries(defaults);
}
