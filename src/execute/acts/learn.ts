import { inferNamespace, type KnownReferences, runCodeTask, splitVersion } from '../../code/index.ts';
import { noteWork } from '../../event-loop-watchdog.ts';
import type { Json, JsonSchema } from '../../json.ts';
import {
  type Dependency,
  dependenciesOf,
  hashOfCalls,
  type Learned,
  type Routing,
} from '../../registry/index.ts';
import { HIDDEN, type Redactor } from '../../secrets/index.ts';
import { storedText } from '../../texts.ts';
import { inputSchemaOf } from '../run/learn-secrets.ts';
import { canonicalName, type ResolvedName } from '../run/resolve-names.ts';

export interface LearnOptions {
  intent: string;
  name?: string | undefined;
  /** The arguments of the run. */
  args?: Record<string, unknown> | undefined;
  /** Knows the secrets of the configuration and the environment. */
  redactor: Redactor;
  /** The code has not run, so no argument is known to be optional. */
  untried?: boolean;
}

/** Generalises code for the registry: the same code with its data made parameters. */
export async function learn(
  source: string,
  resolved: ReadonlyMap<string, ResolvedName>,
  called: Iterable<ResolvedName>,
  { intent, name, args, redactor, untried }: LearnOptions,
): Promise<(Learned & { routing: Routing; liftedArguments: Record<string, Json> }) | { unsafe: string }> {
  noteWork('learn', name ?? intent);
  const learned = await runCodeTask('learn', source, {
    ...knownReferences(resolved),
    given: untried ? undefined : Object.keys(args ?? {}),
    secrets: redactor.known,
  });
  if ('unsafe' in learned) return learned;
  const { code, codeHash, parameters, secretTexts, parametersSchema, calls } = learned;
  // The intent may quote them.
  redactor.learnTexts(secretTexts);
  const callees = [...resolved.values(), ...called];
  const toolsUsed = [...new Set(callees.map(canonicalName))];
  return {
    code,
    codeHash,
    parametersSchema,
    toolsUsed,
    dependencies: dependenciesOf(calls, (spelling) => useOf(resolved.get(spelling), spelling)),
    callsHash: hashOfCalls(calls.map((call) => callText(resolved.get(call.name) as ResolvedName, call.name))),
    namespace: inferNamespace(toolsUsed),
    // Redacted: an intent may quote the code's data, and all who see the capability see it.
    intent: storedText('intent', intent, redactor),
    name,
    routing: routingOf(callees),
    // The arguments with which the generalised code does what this code did.
    liftedArguments: Object.fromEntries(
      parameters.map((one) => [one.name, one.secret ? HIDDEN : (one.default ?? null)]),
    ),
  };
}

/** The resolved names as plain data. Stored code names capabilities by FQDN, and tools as they were written. */
function knownReferences(resolved: ReadonlyMap<string, ResolvedName>): KnownReferences {
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
