import MagicString from 'magic-string';
import { canonicalJson } from '../../canonical-json.ts';
import type { JsonSchema } from '../../json.ts';
import { argumentUsesOf } from '../references/argument-uses.ts';
import type { Program } from '../syntax/ast.ts';
import { parse } from '../syntax/parse.ts';
import { contains } from '../syntax/positions.ts';
import type { Callees } from './callees.ts';
import { NO_RUN } from './extract-secrets.ts';
import { leadOf, placesOf, replaceGroup } from './generalise.ts';
import { inferParametersSchema } from './infer-parameters.ts';
import { type LiteralGroup, wordFor } from './literal-groups.ts';
import { surveyLiterals } from './literal-survey.ts';
import type { Occurrence } from './occurrence.ts';
import { ParameterNames } from './parameter-names.ts';
import { type KnownVerdicts, ParameterVerdicts } from './parameter-verdicts.ts';
import { isTrivial } from './text-matches.ts';

export interface WidenOptions extends Callees {
  readonly verdicts?: KnownVerdicts | undefined;
  /** Gives equal literals one parameter. */
  readonly isJoined: boolean;
  /** The parameters to make, of those that this function made before; all if undefined. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** A program in which constants are parameters, too. */
export interface Widened {
  readonly code: string;
  /** The added parameters, by name. Their defaults are the constants. */
  readonly added: Readonly<Record<string, JsonSchema>>;
}

/**
 * Makes parameters of constants that a program kept, whatever spoke against it: a run that differs from it in them alone has
 * shown that they are data. Undefined if there are none.
 */
export function widen(program: Program, { isJoined, only, ...options }: WidenOptions): Widened | undefined {
  const judges = { verdicts: new ParameterVerdicts(options.verdicts), ofRun: NO_RUN };
  const survey = surveyLiterals(program, options, judges);
  // What stands in SQL is escaped and held to its place where it is lifted, and else stays.
  const isOutside = ({ node, sql }: Occurrence) => sql === undefined && !survey.sql.pasted.has(node);
  const groups = groupsOf([...survey.lists, ...survey.scalars].filter(isOutside), isJoined);
  const { uses } = argumentUsesOf(program);
  const names = new ParameterNames(
    uses.map(({ name }) => name),
    placesOf(program, groups, survey),
  );
  const text = new MagicString(program.source);
  for (const group of groups) {
    const name = names.plannedFor(leadOf(group));
    if (name === undefined || (only && !only.has(name))) continue;
    if (names.lift(leadOf(group), group.value, false)) replaceGroup(program, text, group, name);
  }
  const parameters = names.all();
  if (parameters.length === 0) return undefined;
  const code = text.toString();
  const { properties = {} } = inferParametersSchema(parse(code), { ...options, parameters });
  const added = parameters.map(({ name }) => [name, properties[name] as JsonSchema] as const);
  return { code, added: Object.fromEntries(added) };
}

function groupsOf(occurrences: readonly Occurrence[], isJoined: boolean): LiteralGroup[] {
  const free = occurrences.filter(mayVary);
  const isInList = ({ node }: Occurrence) =>
    free.some((list) => Array.isArray(list.value) && list.node !== node && contains(list.node, node));
  const outer = free.filter((one) => !isInList(one)).sort((a, b) => a.node.start - b.node.start);
  const keyOf = ({ node, value }: Occurrence) => (isJoined ? canonicalJson(value) : String(node.start));
  return [...Map.groupBy(outer, keyOf).values()].map((equal) => ({
    value: (equal[0] as Occurrence).value,
    occurrences: equal,
    isWeak: false,
    isFollowed: false,
    isLabel: false,
    isRequired: false,
    key: wordFor(equal),
  }));
}

/** True for data. Programs and secrets stay, as do the numbers that start and count in most programs. */
function mayVary({ value, role, places, classified, isReplaceable }: Occurrence): boolean {
  if (!isReplaceable || classified.kind !== 'data' || role.isWork) return false;
  const isPlain = role.kind === 'none' && places.length === 0;
  return !isPlain || typeof value === 'boolean' || !isTrivial(value);
}
