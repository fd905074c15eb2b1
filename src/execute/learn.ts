import { createHash } from 'node:crypto';
import {
  type JsonSchema as CodeSchema,
  generalise,
  HIDDEN,
  hashOf,
  inferNamespace,
  inferParametersSchema,
  type Json,
  type PassedCall,
  type Program,
  parse,
  passedCalls,
  rewriteReferences,
  splitVersion,
  withoutSecrets,
} from '../code/index.ts';
import type { JsonSchema, Learned, Routing, Use } from '../registry/index.ts';
import { canonicalName, type Target } from './targets.ts';

/** Calls of one tool that pass different things; the last stands for all that follow. */
const MOST_CALLS = 20;

export interface About {
  intent: string;
  name?: string | undefined;
  /** What the code was run with. */
  args?: Record<string, unknown> | undefined;
  /** What the configuration and the environment keep secret. */
  secrets: readonly string[];
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
  const toolSchema = (name: string) => schemaOf(targets.get(name));
  const { code, parameters, unsafe } = generalise(program, { toolSchema });
  if (unsafe !== undefined) return { unsafe };
  if (holdsAny(code + JSON.stringify(parameters), about.secrets))
    return { unsafe: 'It holds a value that the configuration or environment keeps secret' };
  const generalised = parse(code);
  const inferred = inferParametersSchema(generalised, { parameters, toolSchema });
  const given = new Set([...Object.keys(about.args ?? {}), ...parameters.map(({ name }) => name)]);
  const parametersSchema = about.untried ? (inferred as JsonSchema) : withoutDemandsBeyond(given, inferred);
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
    uses: usesOf(calls, targets),
    callsHash: hashOfCalls(calls.map(({ name }) => calleeOf(targets.get(name) as Target, name))),
    namespace: inferNamespace(toolsUsed),
    // An intent may quote what the code holds, and is shown to all who see the capability.
    intent: withoutSecrets(about.intent),
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

function holdsAny(code: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length >= LEAST_SECRET && code.includes(secret));
}

/** What the code itself calls by name. What it pins stays as it is pinned, and is judged when it is called. */
function usesOf(calls: readonly PassedCall[], targets: ReadonlyMap<string, Target>): Use[] {
  const uses = new Map<string, Use & { passed: JsonSchema[] }>();
  for (const { name, passed } of calls) {
    const target = targets.get(name);
    if (!target || (target.kind === 'capability' && isPinned(name))) continue;
    const callee = canonicalName(target);
    const schema = target.kind === 'tool' ? (schemaOf(target) ?? {}) : undefined;
    const use = uses.get(callee) ?? { callee, schema, passed: [] };
    // Of a capability only whether it is stale itself matters: its own parameters are checked with each call.
    const isNews = schema && !use.passed.some((one) => JSON.stringify(one) === JSON.stringify(passed));
    if (isNews && use.passed.length < MOST_CALLS)
      use.passed.push(use.passed.length < MOST_CALLS - 1 ? passed : {});
    uses.set(callee, use);
  }
  return [...uses.values()];
}

/** The same for code that differs only in the text around its calls. One call alone is too often the same to tell anything. */
export function hashOfCalls(callees: readonly string[]): string | undefined {
  if (callees.length < 2) return undefined;
  return createHash('sha256').update(callees.join('\n')).digest('hex');
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
