import type { Machine } from '../support/performance-page.ts';
import { percentile, short, table } from '../support/stats.ts';
import type { Faithfulness } from './faithful.ts';
import type { Pair } from './merges.ts';

/** What was measured on a set of programs. */
export interface SetResult {
  readonly set: string;
  readonly programs: readonly Faithfulness[];
  /** Empty for a set that has one style for each procedure. */
  readonly pairs: readonly Pair[];
  readonly strangers: readonly string[];
}

export interface Figures {
  readonly set: string;
  readonly programs: number;
  readonly kept: number;
  readonly wrong: number;
  readonly allGiven: number;
  readonly rightAndAllGiven: number;
  readonly equalPairs: number;
  readonly oneSameData: number;
  readonly equalPairsOtherData: number;
  readonly oneOtherData: number;
  readonly differentPairs: number;
  readonly wrongMerges: number;
  readonly misremembered: number;
  readonly ms: Record<'first' | 'second', { p50: number; p95: number } | undefined>;
}

export interface Report {
  readonly bench: 'styles';
  readonly machine: Machine;
  readonly seconds: number;
  readonly sets: readonly Figures[];
}

export function figuresOf({ set, programs, pairs, strangers }: SetResult): Figures {
  const kept = programs.filter(({ isKept }) => isKept);
  const equal = pairs.filter(({ isEqual }) => isEqual);
  const [other, same] = [true, false].map((flag) =>
    equal.filter(({ hasOtherData }) => hasOtherData === flag),
  );
  const ones = (list: readonly Pair[] = []) => list.filter(({ isOne }) => isOne).length;
  return {
    set,
    programs: programs.length,
    kept: kept.length,
    wrong: kept.filter(({ wrong }) => wrong !== undefined).length,
    allGiven: kept.filter(({ fixed }) => fixed.length === 0).length,
    rightAndAllGiven: kept.filter(({ fixed, wrong }) => fixed.length === 0 && wrong === undefined).length,
    equalPairs: same?.length ?? 0,
    oneSameData: ones(same),
    equalPairsOtherData: other?.length ?? 0,
    oneOtherData: ones(other),
    differentPairs: pairs.length - equal.length,
    wrongMerges: ones(pairs.filter(({ isEqual }) => !isEqual)) + strangers.length,
    misremembered: equal.filter(({ misremembered }) => misremembered !== undefined).length,
    ms: {
      first: timesOf(pairs.map(({ ms }) => ms.first)),
      second: timesOf(pairs.map(({ ms }) => ms.second)),
    },
  };
}

function timesOf(ms: readonly number[]) {
  return ms.length === 0 ? undefined : { p50: percentile(ms, 0.5), p95: percentile(ms, 0.95) };
}

export function printReport({ machine, seconds, sets }: Report): void {
  const { cpus, node, loadBefore, loadAfter } = machine;
  print(`${cpus} cores, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after`);
  const row = (title: string, cell: (figures: Figures) => string) => [title, ...sets.map(cell)];
  const times = (which: 'first' | 'second') => (figures: Figures) => {
    const ms = figures.ms[which];
    return ms ? `${short(ms.p50)} / ${short(ms.p95)}` : '-';
  };
  print(
    table([
      row('set', ({ set }) => set),
      row('programs', ({ programs }) => `${programs}`),
      row('not kept', ({ programs, kept }) => `${programs - kept}`),
      row('other arguments: wrong', ({ wrong, kept }) => share(wrong, kept)),
      row('all data can be given', ({ allGiven, kept }) => share(allGiven, kept)),
      row('right, and all can be given', (one) => share(one.rightAndAllGiven, one.kept)),
      row('equal pairs, same data: one', (one) => share(one.oneSameData, one.equalPairs)),
      row('equal pairs, other data: one', (one) => share(one.oneOtherData, one.equalPairsOtherData)),
      row('pairs that differ', ({ differentPairs }) => `${differentPairs}`),
      row('wrong merges', ({ wrongMerges }) => `${wrongMerges}`),
      row('merged, arguments wrong', ({ misremembered }) => `${misremembered}`),
      row('ms a run, nothing known (p50 / p95)', times('first')),
      row('ms a run, one known (p50 / p95)', times('second')),
    ]),
  );
  print(`${short(seconds)} s`);
}

/** Each program and pair that missed, with the reason. */
export function printMisses({ set, programs, pairs, strangers }: SetResult): void {
  for (const { title, isKept, wrong, fixed, code } of programs) {
    if (!isKept) print(`[${set}] not kept: ${title}: ${wrong ?? ''}`);
    else if (wrong !== undefined) print(`[${set}] wrong: ${title}: ${wrong}\n${indent(code)}`);
    else if (fixed.length > 0) print(`[${set}] fixed: ${title}: ${fixed.join(', ')}`);
  }
  for (const { title, isEqual, isOne, hasOtherData, misremembered } of pairs) {
    const data = hasOtherData ? 'other data' : 'same data';
    if (isEqual && !isOne) print(`[${set}] two: ${title} (${data})`);
    if (!isEqual && isOne) print(`[${set}] wrong merge: ${title} (${data}): ${misremembered ?? 'same here'}`);
    if (isEqual && misremembered) print(`[${set}] arguments wrong: ${title} (${data}): ${misremembered}`);
  }
  for (const stranger of strangers) print(`[${set}] wrong merge: ${stranger}`);
}

function share(count: number, of: number): string {
  return of === 0 ? '-' : `${count} of ${of} (${Math.round((100 * count) / of)} %)`;
}

function indent(code: string): string {
  return code.replace(/^/gm, '    ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
