import { ALL_WORLDS } from './answers.ts';
import type { Bed, Learned, Project } from './bed.ts';
import { differenceIn } from './compare.ts';
import { behaviourIn, behaviourInAll } from './direct-run.ts';
import { type Procedure, programOf, type Style, titleOf, type Values } from './programs.ts';

/** Two styles of a procedure, run one after the other where nothing else is known. */
export interface Pair {
  readonly title: string;
  /** The second program had other data than the first. */
  readonly hasOtherData: boolean;
  /** Both do the same with all data in all worlds. */
  readonly isEqual: boolean;
  readonly isOne: boolean;
  /** How the capability, with the arguments that PML names, differs from the second program. */
  readonly misremembered: string | undefined;
  readonly ms: { readonly first: number; readonly second: number };
}

export async function measurePairs(bed: Bed, { styles, data }: Procedure): Promise<Pair[]> {
  const behaviours = new Map<Style, string>();
  for (const style of styles) {
    const all = await Promise.all(data.map((values) => behaviourInAll(programOf(style, values), ALL_WORLDS)));
    behaviours.set(style, all.join('\n===\n'));
  }
  const pairs: Pair[] = [];
  for (const [at, one] of styles.entries()) {
    for (const two of styles.slice(at + 1)) {
      const isEqual = behaviours.get(one) === behaviours.get(two);
      pairs.push(await measurePair(bed, one, two, data[0] as Values, isEqual));
      const other = await runnable(two, data.slice(1));
      if (other) pairs.push(await measurePair(bed, one, two, other, isEqual));
    }
  }
  return pairs;
}

/** The first data with which the program succeeds: a failed run teaches nothing. */
async function runnable(style: Style, data: readonly Values[]): Promise<Values | undefined> {
  for (const values of data)
    if (!(await behaviourIn('base', programOf(style, values))).endsWith('fails')) return values;
  return undefined;
}

function measurePair(bed: Bed, one: Style, two: Style, values: Values, isEqual: boolean): Promise<Pair> {
  return bed.inNewProject(one.text, async (project) => {
    const usual = one.data[0] as Values;
    const first = await project.learn(programOf(one, usual), one.procedure);
    const program = programOf(two, values);
    const second = await project.learn(program, two.procedure);
    const isOne = first.fqdn !== undefined && first.fqdn === second.fqdn;
    return {
      title: `${titleOf(one)} + ${two.name}`,
      hasOtherData: values !== usual,
      isEqual,
      isOne,
      misremembered: isOne ? await misremembered(project, second, program) : undefined,
      ms: { first: first.ms, second: second.ms },
    };
  });
}

/** Calls the capability that a program became with the arguments that PML named. */
async function misremembered(project: Project, { fqdn, args }: Learned, program: string) {
  for (const world of ['base', 'other', 'sparse', 'fail2', 'failW1'] as const) {
    const found = await differenceIn(world, project, { fqdn: fqdn as string, args, program });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Learns all programs in one project, and returns those that became the capability of a program that does something else. */
export function findStrangers(bed: Bed, procedures: readonly Procedure[]): Promise<string[]> {
  const all = procedures.flatMap(({ styles }) => styles);
  return bed.inNewProject(all.map(({ text }) => text).join('\n'), async (project) => {
    const firsts = new Map<string, Style>();
    const strangers: string[] = [];
    for (const style of all) {
      const program = programOf(style, style.data[0] as Values);
      const learned = await project.learn(program, style.procedure);
      if (learned.fqdn === undefined) continue;
      const first = firsts.get(learned.fqdn);
      if (!first) firsts.set(learned.fqdn, style);
      else if (first.procedure !== style.procedure) {
        const reason = await misremembered(project, learned, program);
        if (reason) strangers.push(`${titleOf(first)} + ${titleOf(style)}: ${reason}`);
      }
    }
    return strangers;
  });
}
