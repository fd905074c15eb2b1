import { type Problem, showPath } from '../../config/index.ts';
import { closest } from '../../edit-distance.ts';
import { messageOf, PmlError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import { isBuiltInResolver, isListed } from './built-in-resolver.ts';
import { checkTools } from './check-tools.ts';
import { readResolved } from './read-resolved.ts';
import { schemaProblems, showValue } from './schema-problems.ts';
import type {
  CapabilityConfig,
  CapabilityDescriptor,
  CapabilityResolver,
  McpServerConfig,
  ResolvedCapabilities,
  ResolvedConfig,
  ResolverContext,
} from './types.ts';

/** One capability of an agent, after its config was validated. */
export interface CheckedCapability {
  resolver: CapabilityResolver;
  config: ResolvedConfig;
  /** The config names no tools, so the agent may use all, even those that the capability gets later. */
  allTools: boolean;
}

export interface CheckedCapabilities {
  /** Everything that is wrong, with paths within the capabilities object. */
  problems: Problem[];
  /** The capabilities without problems. */
  checked: Map<string, CheckedCapability>;
}

/** Knows which capabilities exist, and resolves an agent's capabilities object to the servers that it may use. */
export class AgentCapabilityRegistry {
  static #instance: AgentCapabilityRegistry | undefined;
  readonly #resolvers = new Map<string, CapabilityResolver>();

  /** The registry that a program shares. PML itself passes registries as arguments. */
  static instance(): AgentCapabilityRegistry {
    AgentCapabilityRegistry.#instance ??= new AgentCapabilityRegistry();
    return AgentCapabilityRegistry.#instance;
  }

  /** Makes a capability available to agents. Refuses a key that is taken. */
  register(resolver: CapabilityResolver): void {
    const problem = resolverProblem(resolver);
    if (problem !== undefined) throw new PmlError('bad_request', `The capability resolver ${problem}.`);
    const { key } = resolver;
    if (this.#resolvers.has(key)) {
      throw new PmlError('bad_request', `There is a resolver for the capability "${key}" already.`, {
        hint: 'Each key has one resolver: give this one another key.',
      });
    }
    this.#resolvers.set(key, resolver);
  }

  /** Lists every capability with its tools, without starting a server. */
  knownCapabilities(): CapabilityDescriptor[] {
    return [...this.#resolvers.values()].map(({ key, tools, configSchema }) => ({
      key,
      tools: tools.map((tool) => ({ ...tool })),
      ...(configSchema && { configSchema: structuredClone(configSchema) }),
    }));
  }

  /** Finds the resolver of a capability. */
  resolverOf(key: string): CapabilityResolver | undefined {
    return this.#resolvers.get(key);
  }

  /** Turns an agent's capabilities object into MCP servers. Throws one error with every problem. */
  resolve(capabilities: Record<string, CapabilityConfig>, context: ResolverContext): ResolvedCapabilities {
    const { problems, checked } = this.check(capabilities);
    const mcpServers: [string, McpServerConfig][] = [];
    for (const [key, { resolver, config }] of checked) {
      const resolved = runResolver(resolver, context, config);
      if ('problem' in resolved) problems.push({ path: [key], text: resolved.problem });
      else if (resolved.mcpServer) mcpServers.push([key, resolved.mcpServer]);
    }
    if (problems.length > 0) throw capabilitiesError(problems, context.agent?.name, ['capabilities']);
    return { mcpServers: Object.fromEntries(mcpServers) };
  }

  /** Validates an agent's capabilities object, whatever it is, and never throws. */
  check(capabilities: unknown): CheckedCapabilities {
    const problems: Problem[] = [];
    const checked = new Map<string, CheckedCapability>();
    if (!isJsonObject(capabilities)) {
      return { problems: [{ path: [], text: `expected object, got ${showValue(capabilities)}` }], checked };
    }
    for (const [key, config] of Object.entries(capabilities)) {
      const found = this.#checkOne(key, config);
      if (Array.isArray(found))
        problems.push(...found.map(({ path, text }) => ({ path: [key, ...path], text })));
      else checked.set(key, found);
    }
    return { problems, checked };
  }

  #checkOne(key: string, given: unknown): CheckedCapability | Problem[] {
    const resolver = this.#resolvers.get(key);
    if (!resolver) return [{ path: [], text: this.#unknown(key) }];
    if (!isJsonObject(given)) return [{ path: [], text: `expected object, got ${showValue(given)}` }];
    try {
      return checkConfig(resolver, given);
    } catch (error) {
      // A resolver may compute its tools, or the config may hold what cannot be copied.
      return [{ path: [], text: `cannot be checked: ${messageOf(error)}` }];
    }
  }

  #unknown(key: string): string {
    const known = [...this.#resolvers.keys()];
    const near = closest(key, known);
    if (near !== undefined) return `unknown capability; did you mean "${near}"?`;
    if (known.length === 0) return 'unknown capability; none is registered';
    const more = known.length - MAX_KEYS;
    const listed = known.slice(0, MAX_KEYS).join(', ');
    return `unknown capability; known are ${listed}${more > 0 ? ` and ${more} more` : ''}`;
  }
}

const MAX_KEYS = 20;
const MAX_PROBLEMS = 100;

/** Makes one error of all problems of an agent's capabilities, a line each. */
export function capabilitiesError(
  problems: readonly Problem[],
  agent: string | undefined,
  at: Problem['path'],
): PmlError {
  const lines = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ path, text }) => `  ${showPath([...at, ...path])}: ${text}`);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`  and ${more} more problems`);
  const whose = agent === undefined ? 'These capabilities' : `The capabilities of agent "${agent}"`;
  return new PmlError('config_invalid', `${whose} cannot be resolved:\n${lines.join('\n')}`);
}

function checkConfig(resolver: CapabilityResolver, given: object): CheckedCapability | Problem[] {
  const { tools: named, ...own } = structuredClone(given) as CapabilityConfig;
  const { key } = resolver;
  const { tools, problems } = checkTools(named, {
    key,
    tools: resolver.tools.map((tool) => tool.key),
    isListed: isListed(resolver),
  });
  if (resolver.configSchema) problems.push(...schemaProblems(resolver.configSchema, own));
  const config = { ...own, tools };
  if (isBuiltInResolver(resolver)) problems.push(...(resolver.problemsOf?.(config) ?? []));
  if (problems.length > 0) return problems;
  return { resolver, config, allTools: named === undefined };
}

/** Runs a resolver, and reports its failure or a wrong result as a problem. */
export function runResolver(
  resolver: CapabilityResolver,
  context: ResolverContext,
  config: ResolvedConfig,
): { mcpServer: McpServerConfig | null } | { problem: string } {
  try {
    return readResolved(resolver.resolve(context, structuredClone(config)));
  } catch (error) {
    return { problem: `its resolver failed: ${messageOf(error)}` };
  }
}

function resolverProblem(resolver: unknown): string | undefined {
  if (!isJsonObject(resolver)) return `must be an object, not ${showValue(resolver)}`;
  const { key, tools, resolve, configSchema } = resolver;
  if (typeof key !== 'string' || key === '') return 'needs a key, such as "audio"';
  if (typeof resolve !== 'function') return `"${key}" needs a function resolve(context, config)`;
  if (!Array.isArray(tools)) return `"${key}" needs a list of tools`;
  if (!tools.every((tool) => isJsonObject(tool) && typeof tool.key === 'string' && tool.key !== ''))
    return `"${key}" has a tool without a key`;
  if (configSchema !== undefined && !isJsonObject(configSchema))
    return `"${key}" has a configSchema that is no object`;
  return undefined;
}
