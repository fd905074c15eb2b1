import { Budget } from '../../budget.ts';
import { type Json, type JsonSchema, requiredOf } from '../../json.ts';
import { includesJson } from './match-value.ts';
import {
  propertyOf,
  type SchemaContext,
  type Subschema,
  type Variant,
  variantAllows,
  variantsOf,
} from './schema-variants.ts';

/** The reasons why a call no longer fits its tool. Each continues a sentence that begins with the tool's name. */
const MESSAGES = {
  gone: () => 'is gone',
  needs: (at: string) => `now needs ${at}`,
  refuses: (at: string) => `no longer takes ${at}`,
  type: (at: string, type: string) => `no longer takes ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type} as ${at}`,
  value: (at: string, value: string) => `no longer takes ${value} as ${at}`,
  only: (at: string, values: string) => `now takes only ${values} as ${at}`,
} as const;

const MAX_PROBLEMS = 3;
const MAX_DEPTH = 8;
const MAX_QUOTE = 60;
/** The budget for all calls of one tool by one version. The largest real tools take a third of it. */
export const COMPARISON_STEPS = 100_000;

interface Comparison {
  before: SchemaContext;
  after: SchemaContext;
  passed: SchemaContext;
  budget: Budget;
}

/**
 * Explains why a call no longer fits a tool; empty if it fits. It fits if the tool, after the change, accepts every value
 * that the code may pass (`passed` is the schema of these) and that the tool accepted before. For an unknown argument the
 * tool's schemas alone count: the code passes what was required, may pass what was optional, and nothing else. Any type
 * fits where neither code nor schema names one. Ranges, lengths, patterns and formats are left to the tool, since they
 * depend on values that only a run knows. A schema too costly for the budget is compared in part.
 */
export function incompatibilities(
  before: JsonSchema,
  after: JsonSchema | undefined,
  passed: JsonSchema,
  budget = new Budget({ steps: COMPARISON_STEPS }),
): string[] {
  if (!after) return [MESSAGES.gone()];
  const context = (root: JsonSchema): SchemaContext => ({ root, budget });
  const comparison = { before: context(before), after: context(after), passed: context(passed), budget };
  return [...new Set(compare(comparison, before, passed, after, []))].slice(0, MAX_PROBLEMS);
}

/** A kind of value that the code passes and that the tool accepted before. */
interface PassedVariant {
  type: string;
  values?: readonly Json[] | undefined;
  before: JsonSchema;
  passed: JsonSchema;
}

function compare(
  c: Comparison,
  before: Subschema,
  passed: Subschema,
  after: Subschema,
  path: readonly string[],
): string[] {
  if (path.length > MAX_DEPTH || !c.budget.step()) return [];
  const accepted = variantsOf(c.after, after);
  const variants = intersect(c, variantsOf(c.before, before), variantsOf(c.passed, passed));
  return variants.flatMap((variant) => compareVariant(c, variant, accepted, path));
}

/** Intersects what the code passes with what the tool accepted. Values that its schema never allowed drop out. */
function intersect(c: Comparison, before: readonly Variant[], passed: readonly Variant[]): PassedVariant[] {
  return before.flatMap((b) =>
    passed.flatMap((p) => {
      const type = commonType(b.type, p.type);
      if (type === undefined) return [];
      const values = p.values ? p.values.filter((value) => variantAllows(c.before, b, value)) : b.values;
      return values?.length === 0 ? [] : [{ type, values, before: b.schema, passed: p.schema }];
    }),
  );
}

function commonType(a: string, b: string): string | undefined {
  if (a === b || b === 'any') return a;
  if (a === 'any') return b;
  return [a, b].every((type) => type === 'number' || type === 'integer') ? 'integer' : undefined;
}

function compareVariant(
  c: Comparison,
  given: PassedVariant,
  accepted: readonly Variant[],
  path: readonly string[],
): string[] {
  const at = nameOf(path);
  if (accepted.length === 0) return [MESSAGES.refuses(at)];
  if (given.type === 'any' && !given.values) return [];
  const fitting = accepted.filter(
    ({ type }) => type === 'any' || commonType(type, given.type) === given.type,
  );
  if (fitting.length === 0) return [MESSAGES.type(at, given.type)];
  if (given.values) {
    const isAccepted = (value: Json) => fitting.some((variant) => acceptsValue(c, variant, value));
    return given.values
      .filter((value) => !isAccepted(value))
      .map((value) => MESSAGES.value(at, quote(value)));
  }
  const open = fitting.filter(({ values }) => !values);
  if (open.length === 0) return [MESSAGES.only(at, listOf(fitting))];
  // One of several variants must fit; the nearest shows best what is wrong.
  const problems = open.map((variant) => compareSubschemas(c, given, variant, path));
  return problems.reduce((best, one) => (one.length < best.length ? one : best));
}

function acceptsValue(c: Comparison, variant: Variant, value: Json): boolean {
  if (!c.budget.step()) return true;
  return variant.values ? includesJson(variant.values, value) : variantAllows(c.after, variant, value);
}

function compareSubschemas(
  c: Comparison,
  given: PassedVariant,
  { schema: after }: Variant,
  path: readonly string[],
): string[] {
  const { type, before, passed } = given;
  if (type === 'array') {
    const items = [before.items, passed.items, after.items] as [Subschema, Subschema, Subschema];
    return compare(c, ...items, [...path, '[]']);
  }
  const cost = [before, passed, after].reduce((sum, schema) => sum + requiredOf(schema).length, 0);
  if (type !== 'object' || !c.budget.step(cost)) return [];
  const isKnown = passed.additionalProperties === false;
  const wasRequired = new Set(requiredOf(before));
  const certain = new Set([...requiredOf(passed), ...(isKnown ? [] : wasRequired)]);
  const possible = new Set(Object.keys(passed.properties ?? {}));
  if (!isKnown) for (const key of Object.keys(before.properties ?? {})) possible.add(key);
  const needed = requiredOf(after).filter((key) => !certain.has(key) && !wasRequired.has(key));
  const problems = needed.map((key) => MESSAGES.needs(nameOf([...path, key])));
  for (const key of possible) {
    const was = propertyOf(before, key);
    // The old schema forbade the property, yet the code passed it: the tool does not enforce its schema.
    if (was === false) continue;
    const isPassed = passed.properties && Object.hasOwn(passed.properties, key);
    const now = isPassed ? passed.properties?.[key] : undefined;
    problems.push(...compare(c, was, now, propertyOf(after, key), [...path, key]));
  }
  return problems;
}

function nameOf(path: readonly string[]): string {
  const name = path.join('.').replaceAll('.[]', '[]');
  return name === '' ? 'argument' : quote(name);
}

function listOf(variants: readonly Variant[]): string {
  const values = variants.flatMap(({ values }) => values ?? []);
  return values.slice(0, 5).map(quote).join(', ') + (values.length > 5 ? ', …' : '');
}

function quote(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
}
