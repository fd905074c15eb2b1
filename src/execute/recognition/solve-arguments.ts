import { canonicalJson } from '../../canonical-json.ts';
import { isJsonObject, isJsonSchema, type Json, type JsonObject, type JsonSchema } from '../../json.ts';
import type { RecordedCall, Recording } from '../../runs/index.ts';

/** A capability whose arguments are sought. */
export interface KnownProcedure {
  readonly parametersSchema: JsonSchema;
  /** Recorded runs of it that the caller may read. */
  readonly recordings: readonly Recording[];
  /** The literals that its code still has. */
  readonly constants: readonly Json[];
}

/** A run that the capability may have made. */
export interface SolvedRun {
  readonly calls: readonly RecordedCall[];
  /** The arguments that its code was given, and those that its literals would be. */
  readonly args: Readonly<Record<string, Json>>;
  /** The literals of its code. */
  readonly values: readonly Json[];
}

export type ArgumentSet = Readonly<Record<string, Json>>;

/** Arguments that a run may have had. */
export interface SolvedArguments {
  readonly args: ArgumentSet;
  /** The parameters for whose value little speaks. */
  readonly unsure: readonly string[];
}

/** A value that a parameter may have had, or none. The lower the cost, the likelier. */
interface Option {
  readonly value: Json | undefined;
  readonly cost: number;
}

interface Choice extends SolvedArguments {
  /** The values that were chosen against the default, as text. */
  readonly used: readonly string[];
  readonly cost: number;
}

/** A few values for each parameter suffice: most are found by where they are passed. */
const MAX_OPTIONS = 8;
/** How many partial choices are followed for each set that is wanted. */
const BREADTH = 4;
/** Two parameters seldom have one value. */
const SHARED_COST = 3;

/** What speaks for a value, the best evidence first. */
const COST = {
  passedThere: 0,
  sameName: 1,
  unchanged: 2,
  leftOut: 2,
  ownLiteral: 3,
  default: 5,
  otherLiteral: 6,
};

/**
 * Lists the arguments with which a capability may do what a run did, the likeliest first. A value is sought where the recorded
 * runs of the capability passed it on; then under the same name; then among the literals that only the run has.
 */
export function argumentSets(known: KnownProcedure, run: SolvedRun, most: number): SolvedArguments[] {
  const { properties = {}, required = [] } = known.parametersSchema;
  const evidence = { strange: literalsOnlyOf(run, known), passed: passedBy(known, run) };
  let choices: Choice[] = [{ args: {}, unsure: [], used: [], cost: 0 }];
  for (const [name, schema] of Object.entries(properties)) {
    const found = optionsFor(name, isJsonSchema(schema) ? schema : {}, run, evidence);
    const options = required.includes(name) ? found : withNone(found, schema);
    if (options.length > 0) choices = extend(choices, name, options).slice(0, most * BREADTH);
  }
  return choices.slice(0, most);
}

function extend(choices: readonly Choice[], name: string, options: readonly Option[]): Choice[] {
  return choices
    .flatMap(({ args, unsure, used, cost }) =>
      options.map((option) => {
        if (option.value === undefined) return { args, unsure, used, cost: cost + option.cost };
        const text = canonicalJson(option.value);
        const shared = used.includes(text) ? SHARED_COST : 0;
        return {
          args: { ...args, [name]: option.value },
          unsure: option.cost >= COST.ownLiteral ? [...unsure, name] : unsure,
          used: [...used, text],
          cost: cost + option.cost + shared,
        };
      }),
    )
    .sort((a, b) => a.cost - b.cost);
}

/** An optional argument without a default may be left out: one that is linked, the code takes from an earlier call. */
function withNone(options: readonly Option[], schema: unknown): readonly Option[] {
  if (!isJsonSchema(schema) || usualOf(schema) !== undefined) return options;
  return [...options, { value: undefined, cost: COST.leftOut }].sort((a, b) => a.cost - b.cost);
}

/** The literals of the run that the capability has neither in its code nor as a default. */
function literalsOnlyOf(
  { values }: SolvedRun,
  { constants, parametersSchema: { properties = {} } }: KnownProcedure,
): ReadonlySet<string> {
  const usual = Object.values(properties).flatMap(
    (schema) => usualOf(isJsonSchema(schema) ? schema : {}) ?? [],
  );
  const theirs = new Set([...constants, ...usual].map(canonicalJson));
  return new Set(values.map(canonicalJson).filter((text) => !theirs.has(text)));
}

function usualOf(schema: JsonSchema): Json | undefined {
  return schema.default ?? (Array.isArray(schema.examples) ? (schema.examples[0] as Json) : undefined);
}

/** The values that a parameter may have had, the likeliest first. */
function optionsFor(
  name: string,
  schema: JsonSchema,
  run: SolvedRun,
  { strange, passed }: Evidence,
): Option[] {
  const usual = usualOf(schema);
  const first = (passed?.args[name] as Json | undefined) ?? usual;
  const best = new Map<string, Option>();
  const offer = (value: Json | undefined, cost: number) => {
    if (value === undefined || (first !== undefined && kindOf(value) !== kindOf(first))) return;
    const text = canonicalJson(value);
    const before = best.get(text);
    if (!before || cost < before.cost) best.set(text, { value, cost });
  };
  if (passed && first !== undefined)
    for (const value of valuesWherePassed(first, passed)) offer(value, COST.passedThere);
  if (Object.hasOwn(run.args, name)) offer(run.args[name], COST.sameName);
  const isUnchanged = (value: Json) => usual !== undefined && isSame(value, usual);
  for (const value of [...run.values, ...Object.values(run.args)]) {
    const likeness = first === undefined ? 0 : unlikeness(value, first);
    if (isUnchanged(value)) offer(value, COST.unchanged);
    else offer(value, (strange.has(canonicalJson(value)) ? COST.ownLiteral : COST.otherLiteral) + likeness);
  }
  offer(usual, COST.default);
  return [...best.values()].sort((a, b) => a.cost - b.cost).slice(0, MAX_OPTIONS);
}

/** How little two values look alike, from 0 to 1: `.ts` is more like `.md` than like `lib/core`. */
function unlikeness(a: Json, b: Json): number {
  if (typeof a !== 'string' || typeof b !== 'string') return 0;
  const [one, two] = [shapeOf(a), shapeOf(b)];
  if (one === two) return 0;
  return one[0] === two[0] && one.at(-1) === two.at(-1) ? 0.3 : one[0] === two[0] ? 0.6 : 1;
}

/** A text with each run of letters as `a`, of digits as `0`, of spaces as ` `: `2026-01-02` is `0-0-0`. */
function shapeOf(text: string): string {
  return text
    .slice(0, 100)
    .replace(/\p{L}+/gu, 'a')
    .replace(/\d+/g, '0')
    .replace(/\s+/g, ' ');
}

/** The literals that only the run has, and what the first recorded run of the capability passed where. */
interface Evidence {
  readonly strange: ReadonlySet<string>;
  readonly passed: Passed | undefined;
}

interface Passed {
  readonly args: JsonObject;
  readonly theirs: ReadonlyMap<string, readonly Json[]>;
  readonly ours: ReadonlyMap<string, readonly Json[]>;
}

function passedBy({ recordings: [recording] }: KnownProcedure, { calls }: SolvedRun): Passed | undefined {
  if (!recording) return undefined;
  const args = isJsonObject(recording.args) ? recording.args : {};
  return { args, theirs: passedValues(recording.calls), ours: passedValues(calls) };
}

/** Finds where the recorded calls passed a value, and what the calls of the run passed there. */
function valuesWherePassed(value: Json, { theirs, ours }: Passed): Json[] {
  const wanted = canonicalJson(value);
  const found: Json[] = [];
  for (const [place, values] of theirs) {
    const own = ours.get(place) ?? [];
    const at = values.findIndex((one) => canonicalJson(one) === wanted);
    const there = at === -1 ? undefined : (own[at] ?? own[0]);
    if (there !== undefined) found.push(there);
    // A list whose items were passed one by one.
    if (Array.isArray(value) && canonicalJson(distinct(values)) === wanted) found.push(distinct(own));
  }
  return found;
}

const MAX_PLACES = 2_000;

/** The values that calls passed, by tool and path, in the order of the calls. */
function passedValues(calls: readonly RecordedCall[]): Map<string, Json[]> {
  const places = new Map<string, Json[]>();
  const note = (place: string, value: Json, depth: number) => {
    if (places.size > MAX_PLACES || depth > 6) return;
    const values = places.get(place);
    if (values) values.push(value);
    else places.set(place, [value]);
    if (isJsonObject(value))
      for (const [key, one] of Object.entries(value))
        note(`${place} ${JSON.stringify(key)}`, one as Json, depth + 1);
  };
  for (const { name, args } of calls) note(name, args, 0);
  return places;
}

function distinct(values: readonly Json[]): Json[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

function isSame(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}
