import { Learner } from '../../src/testing/programs/learner.ts';
import { percentile } from '../support/stats.ts';
import type { Data, LinkMode } from './data.ts';
import {
  type Lived,
  literalStyle,
  liveAll,
  mergedCoincidences,
  type PairRow,
  pairRow,
  type ReuseRow,
  replayDifference,
  reuseRow,
  varied,
  variedWithoutGuards,
  wrongMerges,
} from './measure.ts';
import { singleStyles } from './styles.ts';

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
  readonly coincidences: string[];
  readonly replays: number;
  readonly replayDifferences: string[];
  readonly ms: { p50: number; p95: number };
}

export async function measureInProcess(
  data: Data,
  mode: LinkMode,
  { rounds, singles }: { rounds: number; singles: boolean },
): Promise<ModeReport> {
  const learner = new Learner(data.tools);
  const literal = await liveAll(learner, data, mode, literalStyle);
  const other = await liveAll(learner, data, mode, literalStyle, { other: true });
  const [all, free]: [Lived[][], Lived[][]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    all.push(await liveAll(learner, data, mode, varied, { seed: `varied ${round}` }));
    free.push(await liveAll(learner, data, mode, variedWithoutGuards, { seed: `free ${round}` }));
  }
  const alone: { name: string; lived: Lived[] }[] = [];
  for (const { name, style } of singles ? singleStyles() : [])
    alone.push({ name, lived: await liveAll(learner, data, mode, () => style, { seed: name }) });
  const everything = [literal, other, ...all, ...free, ...alone.map(({ lived }) => lived)].flat();
  const pairsWith = (rows: readonly Lived[][]) =>
    pairRow(rows.flatMap((row) => row.map((one, at) => [literal[at] as Lived, one] as const)));
  const times = everything.map(({ lesson }) => lesson.ms);
  const { replays, differences } = await replayAll(everything);
  return {
    mode,
    reuse: [
      reuseRow('literal', literal),
      ...all.map((row, round) => reuseRow(`varied, round ${round + 1}`, row)),
      ...free.map((row, round) => reuseRow(`varied without guards, round ${round + 1}`, row)),
      ...alone.map(({ name, lived }) => reuseRow(name, lived)),
    ],
    pairs: pairsWith(all),
    pairsWithoutGuards: pairsWith(free),
    otherData: pairsWith([other]),
    programs: everything.length,
    wrongMerges: wrongMerges(everything),
    coincidences: await mergedCoincidences(literal),
    replays,
    replayDifferences: differences,
    ms: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
  };
}

/** Runs what is stored for each program with its data: its own code, and the code that was there first. */
async function replayAll(lived: readonly Lived[]): Promise<{ replays: number; differences: string[] }> {
  const stored = new Map<string, Lived>();
  const differences: string[] = [];
  let replays = 0;
  for (const one of lived) {
    if (one.identity === undefined) continue;
    const first = stored.get(one.identity) ?? one;
    stored.set(one.identity, first);
    for (const source of first === one ? [one] : [one, first]) {
      replays += 1;
      const difference = await replayDifference(source, one);
      if (difference !== undefined)
        differences.push(
          `${difference}\n${one.source}\n--- is stored as ---\n${source.lesson.learned?.code}`,
        );
    }
  }
  return { replays, differences };
}
