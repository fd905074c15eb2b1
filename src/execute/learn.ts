import {
  type JsonSchema as CodeSchema,
  generalise,
  hashOf,
  inferNamespace,
  inferParametersSchema,
  type Json,
  type Program,
  parse,
  passedCalls,
  rewriteReferences,
  splitVersion,
} from '../code/index.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import {
  hashOfCalls,
  type JsonSchema,
  type Learned,
  type Routing,
  type Use,
  usesOf,
} from '../registry/index.ts';
import { HIDDEN, type Redactor } from '../secrets/index.ts';
import { storedText } from '../texts.ts';
import { canonicalName, type Target } from './targets.ts';

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
export function learn(
  program: Program,
  targets: ReadonlyMap<string, Target>,
  used: Iterable<Target>,
  about: About,
): (Learned & { routing: Routing; lifted: Record<string, Json> }) | { unsafe: string } {
  noteWork('learn', about.name ?? about.intent);
  const toolSchema = (name: string) => schemaOf(targets.get(name));
  const { code, parameters, unsafe } = generalise(program, { toolSchema });
  if (unsafe !== undefined) return { unsafe };
  if (about.redactor.knowsOneIn(code + JSON.stringify(parameters), LEAST_SECRET))
    return { unsafe: 'It holds a value that the configuration or environment keeps secret' };
  const generalised = parse(code);
  const inferred = inferParametersSchema(generalised, { parameters, toolSchema });
  const given = new Set([...Object.keys(about.args ?? {}), ...parameters.map(({ name }) => name)]);
  const demanded = about.untried ? (inferred as JsonSchema) : withoutDemandsBeyond(given, inferred);
  // A server may quote secrets where it describes its tools.
  const parametersSchema = about.redactor.schema(demanded);
  const calls = passedCalls(generalised, parametersSchema as CodeSchema);
  const fqdns = new Map(
    [...targets].flatMap(([name, target]) =>
      target.kind === 'capability' ? [[name, pinned(target.capability.fqdn, name)] as const] : [],
    ),
  );
  const saved = rewriteReferences(code, fqdns);
  const nameOf = (spelling: string) => {
    const target = targets.get(spelling);
    return target && canonicalName(target);
  };
  const reached = [...targets.values(), ...used];
  const toolsUsed = [...new Set(reached.map(canonicalName))];
  return {
    code: saved,
    codeHash: hashOf(saved, { nameOf }),
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

/** Shorter secrets may be words that any code holds. */
const LEAST_SECRET = 12;

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

/** What the run itself did without, its capability cannot need. */
function withoutDemandsBeyond(
  given: ReadonlySet<string>,
  { required = [], ...schema }: CodeSchema,
): JsonSchema {
  const needed = required.filter((name) => given.has(name));
  return needed.length > 0 ? { ...schema, required: needed } : schema;
}

function schemaOf(target: Target | undefined): JsonSchema | undefined {
  if (!target) return undefined;
  if (target.kind === 'capability') return target.capability.parametersSchema;
  return target.entry.listed.inputSchema as JsonSchema | undefined;
}
