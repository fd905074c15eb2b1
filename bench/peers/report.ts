import { short } from '../support/stats.ts';
import type { RelayRow } from './relay.ts';
import { FURTHER_CALL, type RunRow } from './runs.ts';

/** Compared with the best peer of the same run, with many callers. */
const GOALS = { perSecond: 1.7, cpu: 0.5 };
/** A run, compared with UTCP's, and in milliseconds. */
const RUN_SHARE = 0.5;
const RUN_MS: Record<string, Record<number, number>> = {
  'return 1': { 30: 2.8, 0: 4 },
  [FURTHER_CALL]: { 30: 0.6, 0: 0.6 },
};

/** The table of relayed calls. */
export function relayTable(rows: readonly RelayRow[]): string[][] {
  const head = [
    'upstream, gateway',
    'callers',
    'p50 ms',
    'calls/s',
    'lowest–highest',
    'CPU ms a call',
    'goal',
  ];
  const lines = rows.map((row) => [
    `${row.upstream}, ${row.gateway}`,
    String(row.callers),
    short(row.p50),
    row.perSecond.toFixed(0),
    row.spread.map((rate) => rate.toFixed(0)).join('–'),
    row.cpuMs === undefined ? '–' : short(row.cpuMs),
    relayGoal(row, rows),
  ]);
  return [head, ...lines];
}

function relayGoal(row: RelayRow, rows: readonly RelayRow[]): string {
  const peers = rows.filter(
    (one) => one.upstream === row.upstream && one.callers === row.callers && one.gateway !== row.gateway,
  );
  const gateways = peers.filter(({ cpuMs }) => cpuMs !== undefined);
  if (row.gateway !== 'PML' || row.callers === 1 || gateways.length === 0) return '';
  const perSecond = GOALS.perSecond * Math.max(...gateways.map((one) => one.perSecond));
  const cpu = GOALS.cpu * Math.min(...gateways.map(({ cpuMs = Infinity }) => cpuMs));
  return [
    `${perSecond.toFixed(0)} calls/s${row.perSecond < perSecond ? ' (missed)' : ''}`,
    `${short(cpu)} ms${(row.cpuMs ?? 0) > cpu ? ' (missed)' : ''}`,
  ].join(', ');
}

/** The table of runs. */
export function runTable(rows: readonly RunRow[]): string[][] {
  const lines = rows.map((row) => {
    const utcp = rows.find(
      (one) => one.what === row.what && one.pauseMs === row.pauseMs && one.runner.startsWith('UTCP'),
    );
    const goals = row.runner.startsWith('UTCP') ? [] : runGoals(row, utcp?.p50);
    return [`${row.what}, ${row.runner}`, String(row.pauseMs), short(row.p50), goals.join(', ')];
  });
  return [['run', 'pause ms', 'p50 ms', 'goal'], ...lines];
}

function runGoals({ what, pauseMs, p50 }: RunRow, utcp: number | undefined): string[] {
  const absolute = RUN_MS[what]?.[pauseMs];
  const judged = (goal: number, of: string) => `${short(goal)} ms${of}${p50 > goal ? ' (missed)' : ''}`;
  const isWholeRun = what !== FURTHER_CALL;
  return [
    ...(absolute === undefined ? [] : [judged(absolute, '')]),
    ...(utcp !== undefined && isWholeRun ? [judged(utcp * RUN_SHARE, ', half of UTCP')] : []),
  ];
}
