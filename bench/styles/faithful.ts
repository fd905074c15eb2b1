import type { Json, JsonSchema } from '../../src/json.ts';
import { ALL_WORLDS, type AnyWorld } from './answers.ts';
import { argumentsFor, type Given } from './arguments.ts';
import type { Bed, Project } from './bed.ts';
import { differenceIn } from './compare.ts';
import { programOf, type Style, titleOf, type Values } from './programs.ts';

/** A program that was learned once, and its capability called with other arguments. */
export interface Faithfulness {
  readonly title: string;
  readonly isKept: boolean;
  /** How the capability differs from the program with the same values written in; undefined if it does not. */
  readonly wrong: string | undefined;
  /** The data that no argument changes. */
  readonly fixed: readonly string[];
  readonly calls: number;
  /** The stored code. */
  readonly code: string;
}

/** Learns a program with its first data, and calls the capability with all data in all worlds. */
export function measureFaithfulness(bed: Bed, style: Style, worlds = ALL_WORLDS): Promise<Faithfulness> {
  return bed.inNewProject(style.text, async (project) => {
    const usual = style.data[0] as Values;
    const { fqdn, ran } = await project.learn(programOf(style, usual), style.procedure);
    const none = { title: titleOf(style), isKept: false, fixed: Object.keys(usual), calls: 0, code: '' };
    if (fqdn === undefined) return { ...none, wrong: ran.failure };
    const { code, parameters } = await project.lookup(fqdn);
    const given = style.data.map((data) =>
      data === usual ? firstArguments(parameters) : argumentsFor(style, parameters, data),
    );
    const fixed = Object.keys(usual).filter((key) => given.slice(1).some(({ keys }) => !keys.has(key)));
    const found = await firstDifference(project, fqdn, style, given, worlds);
    return { ...none, ...found, isKept: true, fixed, code };
  });
}

/** Compares until a call differs. */
async function firstDifference(
  project: Project,
  fqdn: string,
  style: Style,
  given: readonly Given[],
  worlds: readonly AnyWorld[],
): Promise<{ wrong: string | undefined; calls: number }> {
  let calls = 0;
  for (const [at, { args, keys }] of given.entries()) {
    if (at > 0 && keys.size === 0) continue;
    const program = programOf(style, withChanged(style, at, keys));
    for (const world of worlds) {
      calls += 1;
      const found = await differenceIn(world, project, { fqdn, args, program });
      if (found !== undefined) return { wrong: `data ${at}, ${found}`, calls };
    }
  }
  return { wrong: undefined, calls };
}

/** The first data, in which the expressed keys have the values of other data. */
function withChanged({ data }: Style, at: number, keys: ReadonlySet<string>): Values {
  const [usual, other] = [data[0] as Values, data[at] as Values];
  return Object.fromEntries(
    Object.entries(usual).map(([key, value]) => [key, keys.has(key) ? (other[key] as Json) : value]),
  );
}

/** What must be given to repeat the first run. */
function firstArguments({ properties = {}, required = [] }: JsonSchema): Given {
  const example = (name: string) => (properties[name] as { examples?: Json[] }).examples?.[0];
  const known = required.flatMap((name) => {
    const value = example(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { args: Object.fromEntries(known), keys: new Set() };
}
