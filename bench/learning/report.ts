import type { Report } from '../learning.ts';
import { short, table } from '../support/stats.ts';
import type { ModeReport, PairRow, ReuseRow } from './measure.ts';

/** A figure that misses its goal is followed by an exclamation mark. */
const GOALS = { literal: 0.97, varied: 0.75, pairs: 0.75 };

export function printReport(report: Report, showTexts: boolean): void {
  const { cpus, node, loadBefore, loadAfter } = report.machine;
  print(`${cpus} cores, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after`);
  print(`${report.items} items with several calls.`);
  for (const mode of report.modes) printMode(mode, showTexts);
  const heads = ['secret in every style', 'programs', 'leaked', 'not kept'];
  const rows = report.secrets.rows.map(({ kind, programs, leaked, refused }) => [
    kind,
    `${programs}`,
    zero(leaked),
    `${refused}`,
  ]);
  print(table([heads, ...rows]));
  if (showTexts) for (const leak of report.secrets.leaks) print(`leaked: ${leak}`);
  const { tried, found } = report.secrets.home;
  if (showTexts) for (const one of found) print(`found: ${one}`);
  print(`secrets in files of the home ${zero(found.length)} of ${tried}`);
}

function printMode(report: ModeReport, showTexts: boolean): void {
  const written = report.mode === 'link' ? 'as a link' : 'as a literal';
  print(`An argument that an earlier call returned is written ${written}.`);
  const heads = ['style', 'skeletons', 'capabilities', 'reuse', 'possible', 'not kept'];
  print(table([heads, ...report.reuse.map(reuseCells)]));
  const pairs = [
    ['literal and varied', report.pairs],
    ['literal and varied without guards', report.pairsWithoutGuards],
    ['literal, other data', report.otherData],
  ] as const;
  print(table([['pairs', 'of', 'one capability'], ...pairs.map(pairCells)]));
  const { programs, wrongMerges, replays, replayDifferences, ms } = report;
  print(
    [
      `programs ${programs}`,
      `wrong merges ${zero(wrongMerges.length)}`,
      `named calls that differ ${zero(replayDifferences.length)} of ${replays}`,
      `ms of a learned run p50 ${short(ms.p50)}, p95 ${short(ms.p95)}`,
    ].join('; '),
  );
  if (!showTexts) return;
  for (const text of wrongMerges) print(`wrong merge:\n${text}`);
  for (const text of replayDifferences) print(`replay differs: ${text}`);
}

function reuseCells({ style, skeletons, capabilities, reuse, ceiling, refused }: ReuseRow): string[] {
  const goal = style.startsWith('varied') ? GOALS.varied : GOALS.literal;
  const share = `${percent(reuse)}${reuse < goal ? '!' : ''}`;
  return [style, `${skeletons}`, `${capabilities}`, share, percent(ceiling), `${refused}`];
}

function pairCells([name, { pairs, one }]: readonly [string, PairRow]): string[] {
  const share = one / pairs;
  return [name, `${pairs}`, `${percent(share)}${share < GOALS.pairs ? '!' : ''}`];
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : '-';
}

function zero(count: number): string {
  return count === 0 ? '0' : `${count}!`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
