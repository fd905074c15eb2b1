import { Budget } from '../../budget.ts';
import { type Json, type JsonSchema, requiredOf } from '../../json.ts';
import { isAmong } from './match-value.ts';
import {
  type Part,
  propertyOf,
  type Variant,
  variantAdmits,
  variantsOf,
  type Whole,
} from './schema-variants.ts';

/** What can come between code and a tool it was written for; each reads on after the name of the tool. */
const SAYS = {
  gone: () => 'is gone',
  needs: (at: string) => `now needs ${at}`,
  refuses: (at: string) => `no longer takes ${at}`,
  type: (at: string, type: string) => `no longer takes ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type} as ${at}`,
  value: (at: string, value: string) => `no longer takes ${value} as ${at}`,
  only: (at: string, values: string) => `now takes only ${values} as ${at}`,
} as const;

const MOST_PROBLEMS = 3;
const MAX_DEPTH = 8;
const LONGEST = 60;
/** For all calls of one tool by one version. The largest real tools take a third of it. */
export const COMPARISON_STEPS = 100_000;

interface Comparison {
  before: Whole;
  after: Whole;
  passed: Whole;
  budget: Budget;
}

/**
 * Why a call no longer fits a tool: all that the code passes (`passed`, a schema of it) and that the tool took before
 * must be taken after. Empty if it fits. An unknown argument is judged by the tool's schemas alone: what was required
 * is passed, what was optional may be, and nothing else. Where neither code nor schema named a type, any fits. Ranges,
 * lengths, patterns and formats are left to the tool: they hang on values that only a run knows. A schema that costs more
 * than the budget to compare is compared in part.
 */
export function incompatibilities(
  before: JsonSchema,
  after: JsonSchema | undefined,
  passed: JsonSchema,
  budget = new Budget({ steps: COMPARISON_STEPS }),
): string[] {
  if (!after) return [SAYS.gone()];
  const whole = (root: JsonSchema): Whole => ({ root, budget });
  const comparison = { before: whole(before), after: whole(after), passed: whole(passed), budget };
  return [...new Set(compare(comparison, before, passed, after, []))].slice(0, MOST_PROBLEMS);
}

/** A kind of value that the code passes and the tool took. */
interface Given {
  type: string;
  values?: readonly Json[] | undefined;
  before: JsonSchema;
  passed: JsonSchema;
}

function compare(c: Comparison, before: Part, passed: Part, after: Part, path: readonly string[]): string[] {
  if (path.length > MAX_DEPTH || !c.budget.step()) return [];
  const taken = variantsOf(c.after, after);
  const given = meet(c, variantsOf(c.before, before), variantsOf(c.passed, passed));
  return given.flatMap((one) => compareOne(c, one, taken, path));
}

/** What both say. Nothing, for what the tool's own schema never allowed and the tool took all the same. */
function meet(c: Comparison, before: readonly Variant[], passed: readonly Variant[]): Given[] {
  return before.flatMap((b) =>
    passed.flatMap((p) => {
      const type = commonType(b.type, p.type);
      if (type === undefined) return [];
      const values = p.values ? p.values.filter((value) => variantAdmits(c.before, b, value)) : b.values;
      return values?.length === 0 ? [] : [{ type, values, before: b.schema, passed: p.schema }];
    }),
  );
}

function commonType(a: string, b: string): string | undefined {
  if (a === b || b === 'any') return a;
  if (a === 'any') return b;
  return [a, b].every((type) => type === 'number' || type === 'integer') ? 'integer' : undefined;
}

function compareOne(
  c: Comparison,
  given: Given,
  taken: readonly Variant[],
  path: readonly string[],
): string[] {
  const at = nameOf(path);
  if (taken.length === 0) return [SAYS.refuses(at)];
  if (given.type === 'any' && !given.values) return [];
  const fitting = taken.filter(({ type }) => type === 'any' || commonType(type, given.type) === given.type);
  if (fitting.length === 0) return [SAYS.type(at, given.type)];
  if (given.values) {
    const isTaken = (value: Json) => fitting.some((branch) => takes(c, branch, value));
    return given.values.filter((value) => !isTaken(value)).map((value) => SAYS.value(at, quote(value)));
  }
  const open = fitting.filter(({ values }) => !values);
  if (open.length === 0) return [SAYS.only(at, listOf(fitting))];
  // Of several shapes one must do; the nearest tells best what is wrong.
  const problems = open.map((branch) => compareParts(c, given, branch, path));
  return problems.reduce((best, one) => (one.length < best.length ? one : best));
}

function takes(c: Comparison, branch: Variant, value: Json): boolean {
  if (!c.budget.step()) return true;
  return branch.values ? isAmong(branch.values, value) : variantAdmits(c.after, branch, value);
}

function compareParts(
  c: Comparison,
  given: Given,
  { schema: after }: Variant,
  path: readonly string[],
): string[] {
  const { type, before, passed } = given;
  if (type === 'array') {
    const parts = [before.items, passed.items, after.items] as [Part, Part, Part];
    return compare(c, ...parts, [...path, '[]']);
  }
  const wanted = [before, passed, after].reduce((sum, part) => sum + requiredOf(part).length, 0);
  if (type !== 'object' || !c.budget.step(wanted)) return [];
  const isKnown = passed.additionalProperties === false;
  const wasRequired = new Set(requiredOf(before));
  const certain = new Set([...requiredOf(passed), ...(isKnown ? [] : wasRequired)]);
  const possible = new Set(Object.keys(passed.properties ?? {}));
  if (!isKnown) for (const key of Object.keys(before.properties ?? {})) possible.add(key);
  const needed = requiredOf(after).filter((key) => !certain.has(key) && !wasRequired.has(key));
  const problems = needed.map((key) => SAYS.needs(nameOf([...path, key])));
  for (const key of possible) {
    const was = propertyOf(before, key);
    // Refused before, in writing, and passed all the same: the tool does not hold to it.
    if (was === false) continue;
    const part =
      passed.properties && Object.hasOwn(passed.properties, key) ? passed.properties[key] : undefined;
    problems.push(...compare(c, was, part, propertyOf(after, key), [...path, key]));
  }
  return problems;
}

function nameOf(path: readonly string[]): string {
  const name = path.join('.').replaceAll('.[]', '[]');
  return name === '' ? 'argument' : quote(name);
}

function listOf(branches: readonly Variant[]): string {
  const values = branches.flatMap(({ values }) => values ?? []);
  return values.slice(0, 5).map(quote).join(', ') + (values.length > 5 ? ', …' : '');
}

function quote(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
