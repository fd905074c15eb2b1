import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../canonical-json.ts';
import { runCodeTask } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Json, JsonSchema } from '../../json.ts';
import { userOf } from '../../principal.ts';
import { update } from '../../registry/index.ts';
import { bodyOf, type Candidate, fillArguments, solvable } from '../recognition/candidates.ts';
import { firstAlike } from '../recognition/prove-alike.ts';
import type { Recognised } from '../recognition/recognise.ts';
import { alikeAsRecorded, type ReplayableRun } from '../recognition/replay-programs.ts';
import { type ArgumentSet, argumentSets } from '../recognition/solve-arguments.ts';
import { type ResolvedName, resolveStaticNames } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';
import { knownReferences, knownVerdicts, learn } from './learn.ts';
import { readOnlyCallees } from './read-only-callees.ts';
import { differencesFrom } from './verify.ts';

/** Few capabilities call the same tools and differ in constants alone. */
const MAX_WIDENED = 3;
const MAX_SETS = 10;

/** A capability whose constants are parameters, with the arguments with which it does what a run did. */
interface WiderProcedure {
  readonly candidate: Candidate;
  readonly resolved: ReadonlyMap<string, ResolvedName>;
  readonly code: string;
  readonly added: Readonly<Record<string, JsonSchema>>;
  readonly args: ArgumentSet;
}

/**
 * Finds a capability that differs from a run in constants alone, and gives it a version that has parameters there, with the
 * former constants as defaults. Calls that leave them out do what they did before.
 */
export async function widenToRun(
  run: Run,
  made: ReplayableRun,
  candidates: readonly Candidate[],
): Promise<Recognised | undefined> {
  const wideable = candidates.filter((one) => mayWiden(run, one)).slice(0, MAX_WIDENED);
  for (const candidate of wideable) {
    const wider = await findWider(run, made, candidate);
    const recognised = wider && (await store(run, wider));
    if (recognised) return recognised;
  }
  return undefined;
}

/** True for the caller's own capability whose parameters PML chose. An agent may change only what it was given. */
function mayWiden(run: Run, { capability }: Candidate): boolean {
  return capability.isLifted && capability.createdBy === run.who.user && !run.who.grants;
}

/** Equal constants vary together first, then each alone. */
async function findWider(
  run: Run,
  made: ReplayableRun,
  candidate: Candidate,
): Promise<WiderProcedure | undefined> {
  const resolved = await namesOf(run, candidate);
  if (!resolved) return undefined;
  const tried = new Set<string>();
  for (const isJoined of [true, false]) {
    const whole = await widened(run, candidate, resolved, isJoined);
    if (!whole || tried.has(whole.code)) continue;
    tried.add(whole.code);
    const found = await solve(run, made, candidate, whole);
    if (!found) continue;
    const only = Object.entries(whole.added).flatMap(([name, schema]) =>
      isSame(found[name], schema.default) ? [] : [name],
    );
    const part = await widened(run, candidate, resolved, isJoined, only);
    const kept = (name: string) => only.includes(name) || !Object.hasOwn(whole.added, name);
    const args = Object.fromEntries(Object.entries(found).filter(([name]) => kept(name)));
    if (part && only.length > 0) return { candidate, resolved, ...part, args };
  }
  return undefined;
}

/** The callees of stored code; undefined if one of them is not there. */
async function namesOf(run: Run, { capability }: Candidate) {
  try {
    const { references } = await runCodeTask('prepareRun', capability.code);
    return await resolveStaticNames(run, references);
  } catch {
    return undefined;
  }
}

async function widened(
  run: Run,
  { capability }: Candidate,
  resolved: ReadonlyMap<string, ResolvedName>,
  isJoined: boolean,
  only?: readonly string[],
) {
  return runCodeTask('widen', capability.code, {
    ...knownReferences(resolved),
    readOnly: readOnlyCallees(resolved, [...resolved.values()]),
    verdicts: await knownVerdicts(run, resolved),
    isJoined,
    only,
  });
}

/** Finds the arguments with which the wider procedure does what the run did. */
async function solve(
  run: Run,
  made: ReplayableRun,
  { capability, recordings }: Candidate,
  { code, added }: Pick<WiderProcedure, 'code' | 'added'>,
): Promise<ArgumentSet | undefined> {
  const parametersSchema = withParameters(capability.parametersSchema, added);
  const constants = await runCodeTask('writtenValues', code);
  const body = await bodyOf(code);
  const sets = argumentSets({ parametersSchema, recordings, constants }, solvable(made), MAX_SETS);
  const guesses = sets.flatMap(({ args, unsure }) => {
    const former = Object.entries(args).filter(([name]) => !Object.hasOwn(added, name));
    const filled = fillArguments(capability, Object.fromEntries(former));
    return filled ? [{ args, unsure, program: { code: body, args: { ...args, ...filled } } }] : [];
  });
  const alike = await alikeAsRecorded(run, made, guesses);
  return alike && (await firstAlike(run, made, alike))?.args;
}

function withParameters(schema: JsonSchema, added: WiderProcedure['added']): JsonSchema {
  return { ...schema, properties: { ...schema.properties, ...added } };
}

/** Stores the version if it does what the former one did in each recorded run. Undefined if there is another meanwhile. */
async function store(run: Run, wider: WiderProcedure): Promise<Recognised | undefined> {
  const { candidate, resolved, code, added, args } = wider;
  const { capability, recordings } = candidate;
  const parametersSchema = withParameters(capability.parametersSchema, added);
  // Validators are cached by FQDN, and this schema is not the capability's own.
  const next = { ...capability, fqdn: `${capability.fqdn} ${randomUUID()}`, code, parametersSchema };
  if (!fillArguments(next, args)) return undefined;
  for (const recording of recordings)
    if ((await differencesFrom(recording, run, next)).length > 0) return undefined;
  const learned = await learn(code, resolved, [], {
    intent: capability.intent,
    redactor: run.redactor,
    verdicts: await knownVerdicts(run, resolved),
  });
  if ('unsafe' in learned) return undefined;
  const version = {
    ...learned,
    parametersSchema,
    isLifted: true,
    routing: learned.routing,
    widens: capability.version,
    changeSummary: `takes ${Object.keys(added).join(', ')}, which a later run changed`,
  };
  try {
    const updated = await update(run, userOf(run.who), capability.fqdn, version);
    await run.recordings.copy(updated, capability.version, updated.version);
    return { capability: updated, args };
  } catch (error) {
    if (error instanceof PmlError && error.code === 'version_taken') return undefined;
    throw error;
  }
}

function isSame(a: Json | undefined, b: unknown): boolean {
  return a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b as Json);
}
