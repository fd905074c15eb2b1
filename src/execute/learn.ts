import { inferNamespace, type KnownReferences, runCodeTask, splitVersion } from '../code/index.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { Json, JsonSchema } from '../json.ts';
import { hashOfCalls, type Learned, type Routing, type Use, usesOf } from '../registry/index.ts';
import { HIDDEN, type Redactor } from '../secrets/index.ts';
import { storedText } from '../texts.ts';
import { canonicalName, type Target } from './resolve-names.ts';

export interface About {
  intent: string;
  name?: string | undefined;
  /** What the code was run with. */
  args?: Record<string, unknown> | undefined;
  /** Knows what the configuration and the environment keep secret. */
  redactor: Redactor;
  /** The code has not been run, so that nothing is known of what it can do without. */
  untried?: boolean;
}

/** What is worth keeping of code that ran well: the same code with its data made parameters. */
export async function learn(
  source: string,
  targets: ReadonlyMap<string, Target>,
  used: Iterable<Target>,
  about: About,
): Promise<(Learned & { routing: Routing; lifted: Record<string, Json> }) | { unsafe: string }> {
  noteWork('learn', about.name ?? about.intent);
  const learned = await runCodeTask('learn', source, {
    ...referencesTo(targets),
    given: about.untried ? undefined : Object.keys(about.args ?? {}),
    secrets: about.redactor.known,
  });
  if ('unsafe' in learned) return learned;
  const { code, codeHash, parameters, parametersSchema, calls } = learned;
  const reached = [...targets.values(), ...used];
  const toolsUsed = [...new Set(reached.map(canonicalName))];
  return {
    code,
    codeHash,
    parametersSchema,
    toolsUsed,
    uses: usesOf(calls, (name) => useOf(targets.get(name), name)),
    callsHash: hashOfCalls(calls.map(({ name }) => calleeOf(targets.get(name) as Target, name))),
    namespace: inferNamespace(toolsUsed),
    // An intent may quote what the code holds, and is shown to all who see the capability.
    intent: storedText('intent', about.intent, about.redactor),
    name: about.name,
    routing: routingOf(reached),
    // The arguments with which the kept code does what this code did.
    lifted: Object.fromEntries(
      parameters.map(({ name, secret, default: value = null }) => [name, secret ? HIDDEN : value]),
    ),
  };
}

/** What the names in code mean, as plain data. Capabilities are kept by their identity, tools as they are written. */
function referencesTo(targets: ReadonlyMap<string, Target>): KnownReferences {
  const all = [...targets];
  const capabilities = all.flatMap(([name, target]) =>
    target.kind === 'capability' ? [[name, pinned(target.capability.fqdn, name)] as const] : [],
  );
  return {
    schemas: new Map(
      all.flatMap(([name, target]) => {
        const schema = schemaOf(target);
        return schema ? [[name, schema] as const] : [];
      }),
    ),
    renamed: new Map(capabilities),
    canonical: new Map(all.map(([name, target]) => [name, canonicalName(target)])),
  };
}

/** What a call means for whether the code still fits. What it pins stays as it is pinned, and is judged when it is called. */
function useOf(target: Target | undefined, spelling: string): Omit<Use, 'passed'> | undefined {
  if (!target || (target.kind === 'capability' && isPinned(spelling))) return undefined;
  const callee = canonicalName(target);
  return target.kind === 'tool' ? { callee, schema: schemaOf(target) ?? {} } : { callee };
}

function calleeOf(target: Target, spelling: string): string {
  return target.kind === 'tool' ? canonicalName(target) : pinned(target.capability.fqdn, spelling);
}

function isPinned(spelling: string): boolean {
  const { version } = splitVersion(spelling);
  return version !== undefined && version !== 'latest';
}

/** A reference keeps the version it was written with; what it was written without stays the latest. */
function pinned(fqdn: string, spelling: string): string {
  return isPinned(spelling) ? `${fqdn}@${splitVersion(spelling).version}` : fqdn;
}

/** What uses anything local must itself run there. */
function routingOf(reached: readonly Target[]): Routing {
  const isLocal = (target: Target) =>
    (target.kind === 'tool' ? target.entry.upstream.server.routing : target.capability.routing) === 'local';
  return reached.some(isLocal) ? 'local' : 'cloud';
}

function schemaOf(target: Target | undefined): JsonSchema | undefined {
  if (!target) return undefined;
  if (target.kind === 'capability') return target.capability.parametersSchema;
  return target.entry.listed.inputSchema as JsonSchema | undefined;
}
