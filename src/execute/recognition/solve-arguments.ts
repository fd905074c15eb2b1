import { canonicalJson } from '../../canonical-json.ts';
import { isJsonObject, isJsonSchema, type Json, type JsonSchema } from '../../json.ts';
import type { RecordedCall, Recording } from '../../runs/index.ts';

/** A capability whose arguments are sought. */
export interface KnownProcedure {
  readonly parametersSchema: JsonSchema;
  /** Recorded runs of it that the caller may read. */
  readonly recordings: readonly Recording[];
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

/** A few values for each parameter suffice: most are found by where they are passed. */
const MAX_OPTIONS = 8;

/**
 * Lists the arguments with which a capability may do what a run did, the likeliest first. A value is sought where the recorded
 * runs of the capability passed it on; then under the same name; then among the literals of the same type.
 */
export function argumentSets(known: KnownProcedure, run: SolvedRun, most: number): ArgumentSet[] {
  const { properties = {} } = known.parametersSchema;
  const options = Object.entries(properties).map(([name, schema]) => {
    const values = optionsFor(name, isJsonSchema(schema) ? schema : {}, known, run);
    return { name, values };
  });
  const first = options.flatMap(({ name, values: [value] }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const sets: ArgumentSet[] = [Object.fromEntries(first)];
  for (let at = 1; at < MAX_OPTIONS; at += 1) {
    for (const { name, values } of options) {
      const value = values[at];
      if (value !== undefined && sets.length < most) sets.push({ ...sets[0], [name]: value });
    }
  }
  return sets;
}

/** The values that a parameter may have had, the likeliest first. */
function optionsFor(name: string, schema: JsonSchema, known: KnownProcedure, run: SolvedRun): Json[] {
  const usual = schema.default ?? (Array.isArray(schema.examples) ? (schema.examples[0] as Json) : undefined);
  const [recording] = known.recordings;
  const recorded =
    recording && isJsonObject(recording.args) ? (recording.args[name] as Json | undefined) : undefined;
  const first = recorded ?? usual;
  const options: Json[] = [];
  if (recording && first !== undefined) options.push(...valuesWherePassed(first, recording.calls, run.calls));
  const named = Object.hasOwn(run.args, name) ? run.args[name] : undefined;
  if (named !== undefined) options.push(named);
  if (usual !== undefined && run.values.some((value) => isSame(value, usual))) options.push(usual);
  options.push(...run.values, ...Object.values(run.args));
  if (usual !== undefined) options.push(usual);
  const isFit = (value: Json) => first === undefined || kindOf(value) === kindOf(first);
  const distinct = new Map(options.filter(isFit).map((value) => [canonicalJson(value), value]));
  return [...distinct.values()].slice(0, MAX_OPTIONS);
}

/** Finds where the recorded calls passed a value, and what the calls of the run passed there. */
function valuesWherePassed(
  value: Json,
  recorded: readonly RecordedCall[],
  made: readonly RecordedCall[],
): Json[] {
  const wanted = canonicalJson(value);
  const found: Json[] = [];
  const theirs = passedValues(recorded);
  const ours = passedValues(made);
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
