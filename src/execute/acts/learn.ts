import {
  findLinks,
  inferNamespace,
  type KnownReferences,
  type KnownVerdicts,
  type Link,
  runCodeTask,
  splitVersion,
} from '../../code/index.ts';
import { noteWork } from '../../event-loop-watchdog.ts';
import type { Json, JsonSchema } from '../../json.ts';
import { type Dependency, dependenciesOf } from '../../registry/caching/index.ts';
import type { Learned, Routing } from '../../registry/index.ts';
import { hashOfCalls, readVerdicts } from '../../registry/procedures/index.ts';
import type { RecordedCall } from '../../runs/index.ts';
import { HIDDEN, type Redactor } from '../../secrets/index.ts';
import { storedText } from '../../stored-texts.ts';
import { inputSchemaOf } from '../calls/learn-secrets.ts';
import { canonicalName, type ResolvedName } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';
import { generaliseIntent, wordsOfNames } from './generalise-intent.ts';
import { readOnlyCallees } from './read-only-callees.ts';

export interface LearnOptions {
  intent: string;
  name?: string | undefined;
  /** The arguments of the run. */
  args?: Record<string, unknown> | undefined;
  /** Knows the secrets of the configuration and the environment. */
  redactor: Redactor;
  /** The verdicts of earlier runs on the parameters of tools (`knownVerdicts`). */
  verdicts: KnownVerdicts;
  /** The code has not run, so no argument is known to be optional. */
  untried?: boolean;
  /** Leaves all data in the code, except secrets. */
  isPlain?: boolean | undefined;
  /** The links between the calls of the run. */
  links?: readonly Link[] | undefined;
}

export type LearnedRun = Learned & { routing: Routing } & RunArguments;

/** The arguments with which generalised code does what the code did. */
interface RunArguments {
  /** True if a literal of it is a secret, or payload that a tool which may write demands. */
  readonly holdsPayload: boolean;
  readonly liftedArguments: Readonly<Record<string, Json>>;
  /** The values of the secret and linked arguments, for a replay alone: they must never be stored. */
  readonly hiddenArguments: Readonly<Record<string, Json>>;
  readonly linkableCalls: readonly string[];
}

/** Generalises code for the registry: the same code with its data made parameters. */
export async function learn(
  source: string,
  resolved: ReadonlyMap<string, ResolvedName>,
  called: readonly ResolvedName[],
  { intent, name, args, redactor, verdicts: judged, untried, isPlain, links }: LearnOptions,
): Promise<LearnedRun | { unsafe: string }> {
  noteWork('learn', name ?? intent);
  const known = withCalled(resolved, called);
  const callees = [...resolved.values(), ...called];
  const learned = await runCodeTask('learn', source, {
    ...knownReferences(known),
    readOnly: readOnlyCallees(known, callees),
    given: untried ? undefined : ((args ?? {}) as Record<string, Json>),
    secrets: redactor.known,
    verdicts: judged,
    isPlain,
    links,
  });
  if ('unsafe' in learned) return learned;
  const { code, codeHash, parameters, parametersSchema, calls, verdicts, secretTexts } = learned;
  // So that they are redacted in the intent, which may quote them.
  redactor.learnTexts(secretTexts);
  const toolsUsed = [...new Set(callees.map(canonicalName))];
  const storedIntent = storedText('intent', intent, redactor);
  const liftedArguments = Object.fromEntries(
    parameters
      .filter(({ linkedTo }) => linkedTo === undefined)
      .map((one) => [one.name, one.secret ? HIDDEN : (one.default ?? one.example ?? null)]),
  );
  return {
    code,
    codeHash,
    parametersSchema,
    verdicts,
    namesCallees: learned.namesCallees,
    isLifted: learned.isLifted,
    toolsUsed,
    dependencies: dependenciesOf(calls, (spelling) => useOf(known.get(spelling), spelling)),
    callsHash: hashOfCalls(
      calls.map(({ name: spelling }) => callText(known.get(spelling) as ResolvedName, spelling)),
    ),
    namespace: inferNamespace(toolsUsed),
    intent: storedIntent,
    description: generaliseIntent(storedIntent, { ...liftedArguments, ...args }, wordsOfNames(toolsUsed)),
    name,
    routing: routingOf(callees),
    liftedArguments,
    hiddenArguments: learned.hiddenValues,
    holdsPayload: parameters.some(
      ({ secret, example, linkedTo }) => secret || example !== undefined || linkedTo !== undefined,
    ),
    linkableCalls: learned.linkableCalls,
  };
}

/** Learns code that ran, and again with the links between the calls that it made, if there are any. */
export async function learnFromRun(
  run: Pick<Run, 'verdicts' | 'who' | 'called'>,
  code: string,
  resolved: ReadonlyMap<string, ResolvedName>,
  { passed, ...options }: RunOptions,
): Promise<LearnedRun | { unsafe: string }> {
  const learned = await learnKnowing(run, code, resolved, options);
  if ('unsafe' in learned) return learned;
  const links = linksBetween(passed, learned.linkableCalls, options.intent);
  return links.length === 0 ? learned : learnKnowing(run, code, resolved, { ...options, links });
}

type RunOptions = Omit<LearnOptions, 'verdicts' | 'links'> & {
  /** The calls that it made, in order; undefined if they are too many or too large. */
  readonly passed: readonly RecordedCall[] | undefined;
};

function linksBetween(passed: RunOptions['passed'], names: readonly string[], said: string): Link[] {
  const calls = passed?.filter(({ name }) => !name.startsWith('pml.')) ?? [];
  const isSame = names.length > 1 && names.length === calls.length;
  return isSame && calls.every(({ name }, at) => name === names[at]) ? findLinks(calls, { said }) : [];
}

/** Learns with the cached verdicts, and again with the stored ones if those do not suffice. */
async function learnKnowing(
  { verdicts, who, called }: Pick<Run, 'verdicts' | 'who' | 'called'>,
  code: string,
  resolved: ReadonlyMap<string, ResolvedName>,
  options: Omit<LearnOptions, 'verdicts'>,
): Promise<LearnedRun | { unsafe: string }> {
  const learnWith = (known: KnownVerdicts) =>
    learn(code, resolved, [...called.values()], { ...options, verdicts: known });
  const tools = calleesOf(resolved);
  const atHand = verdicts.recall(who, tools);
  const learned = atHand && (await learnWith(atHand));
  if (learned && !('unsafe' in learned) && !learned.verdicts?.length) return learned;
  return learnWith(await verdicts.read(who, tools));
}

/** Adds the tools that only the run named: `mcp[server][tool]`. */
function withCalled(
  resolved: ReadonlyMap<string, ResolvedName>,
  called: readonly ResolvedName[],
): Map<string, ResolvedName> {
  const tools = called.filter(({ kind }) => kind === 'tool');
  return new Map([...tools.map((tool) => [canonicalName(tool), tool] as const), ...resolved]);
}

/** Reads the verdicts on the parameters of everything that the code calls by name. */
export function knownVerdicts(
  { db, who }: Pick<Run, 'db' | 'who'>,
  resolved: ReadonlyMap<string, ResolvedName>,
): Promise<KnownVerdicts> {
  return readVerdicts(db, who, calleesOf(resolved));
}

function calleesOf(resolved: ReadonlyMap<string, ResolvedName>): string[] {
  return [...new Set([...resolved.values()].map(canonicalName))];
}

/** The resolved names as plain data. Stored code names capabilities by FQDN, and tools as they were written. */
export function knownReferences(resolved: ReadonlyMap<string, ResolvedName>): KnownReferences {
  const all = [...resolved];
  const capabilities = all.flatMap(([name, callee]) =>
    callee.kind === 'capability' ? [[name, pinned(callee.capability.fqdn, name)] as const] : [],
  );
  return {
    schemas: new Map(
      all.flatMap(([name, callee]) => {
        const schema = schemaOf(callee);
        return schema ? [[name, schema] as const] : [];
      }),
    ),
    renamed: new Map(capabilities),
    canonical: new Map(all.map(([name, callee]) => [name, canonicalName(callee)])),
  };
}

/** The dependency that a call makes. A pinned version never changes, so it makes none: it is checked when it is called. */
function useOf(callee: ResolvedName | undefined, spelling: string): Omit<Dependency, 'passed'> | undefined {
  if (!callee || (callee.kind === 'capability' && isPinned(spelling))) return undefined;
  const name = canonicalName(callee);
  return callee.kind === 'tool' ? { callee: name, schema: schemaOf(callee) ?? {} } : { callee: name };
}

/** The callee as it enters the hash of the calls. */
function callText(callee: ResolvedName, spelling: string): string {
  return callee.kind === 'tool' ? canonicalName(callee) : pinned(callee.capability.fqdn, spelling);
}

function isPinned(spelling: string): boolean {
  const { version } = splitVersion(spelling);
  return version !== undefined && version !== 'latest';
}

/** A reference keeps the version it was written with; without one it means the latest. */
function pinned(fqdn: string, spelling: string): string {
  return isPinned(spelling) ? `${fqdn}@${splitVersion(spelling).version}` : fqdn;
}

/** Code that calls anything local must itself run locally. */
function routingOf(callees: readonly ResolvedName[]): Routing {
  const isLocal = (callee: ResolvedName) =>
    (callee.kind === 'tool' ? callee.entry.upstream.server.routing : callee.capability.routing) === 'local';
  return callees.some(isLocal) ? 'local' : 'cloud';
}

function schemaOf(callee: ResolvedName | undefined): JsonSchema | undefined {
  return callee && inputSchemaOf(callee);
}
