import type { Problem } from '../../config/index.ts';
import { messageOf } from '../../errors.ts';
import type { ServerDefinition } from '../../upstream/index.ts';
import {
  type AgentCapabilityRegistry,
  type CheckedCapability,
  capabilitiesError,
  runResolver,
} from './agent-capability-registry.ts';
import type { AgentRights } from './agent-rights.ts';
import { type BackingContext, isBuiltInResolver } from './built-in-resolver.ts';
import type { AgentConfig, McpServerConfig, ResolverContext } from './types.ts';

/** An agent's rights, and the servers that a workspace starts for it. */
export interface ResolvedAgent {
  rights: AgentRights;
  /** By capability: the server behind it, unless that is a server of the config. */
  backings: ReadonlyMap<string, ServerDefinition>;
}

/** Turns an agent's capabilities object into its rights. Throws one error with every problem. */
export function resolveAgent(
  registry: AgentCapabilityRegistry,
  agent: AgentConfig,
  context: Omit<BackingContext, 'agent'>,
): ResolvedAgent {
  const { problems, checked } = registry.check(agent.capabilities);
  const servers = new Map<string, 'all' | ReadonlySet<string>>();
  const backings = new Map<string, ServerDefinition>();
  for (const [key, one] of checked) {
    if (isBuiltInResolver(one.resolver) && one.resolver.learned) continue;
    const backing = backingOf(key, one, agent, context);
    if (backing === null) continue;
    if (backing && 'problem' in backing) {
      problems.push({ path: [key], text: backing.problem });
      continue;
    }
    if (backing) backings.set(key, backing);
    servers.set(key, one.allTools ? 'all' : new Set(one.config.tools));
  }
  if (problems.length > 0) throw capabilitiesError(problems, agent.name, pathOf(agent));
  return { rights: { agent: agent.name, servers, ...learnedRights(checked) }, backings };
}

/** Finds every problem of an agent's capabilities, with paths as in the config file. */
export function agentProblems(registry: AgentCapabilityRegistry, agent: AgentConfig): Problem[] {
  return registry.check(agent.capabilities).problems.map(({ path, text }) => ({
    path: [...pathOf(agent), ...path],
    text,
  }));
}

/** Where the config file says what the agent may use. */
function pathOf({ name }: AgentConfig): Problem['path'] {
  return ['agents', name, 'capabilities'];
}

function learnedRights(
  checked: ReadonlyMap<string, CheckedCapability>,
): Pick<AgentRights, 'capabilities' | 'changingTools'> {
  for (const { resolver, config } of checked.values()) {
    if (isBuiltInResolver(resolver) && resolver.learned)
      return { capabilities: resolver.learned(config), changingTools: new Set(config.tools) };
  }
  return { capabilities: 'none', changingTools: new Set() };
}

/** The server behind a capability: undefined if the workspace has it, null if the resolver skips the capability. */
function backingOf(
  key: string,
  { resolver, config }: CheckedCapability,
  agent: AgentConfig,
  context: Omit<BackingContext, 'agent'>,
): ServerDefinition | undefined | null | { problem: string } {
  if (isBuiltInResolver(resolver)) {
    try {
      return resolver.backing?.({ ...context, agent: agent.name }, config);
    } catch (error) {
      // Its folder may not be writable.
      return { problem: `its server cannot be started: ${messageOf(error)}` };
    }
  }
  const resolved = runResolver(resolver, resolverContext(agent, context), config);
  if ('problem' in resolved) return resolved;
  return resolved.mcpServer && upstreamServer(key, resolved.mcpServer, context.workspaceDir);
}

/** A workspace serves every conversation of the agent, so its context names none. */
function resolverContext(
  agent: AgentConfig,
  { agentDir, workspaceDir }: Pick<BackingContext, 'agentDir' | 'workspaceDir'>,
): ResolverContext {
  const thread = { id: '', agent: agent.name, createdAt: new Date() };
  return { agentDir, workspaceDir, thread, callbacks: {}, agent };
}

function upstreamServer(name: string, server: McpServerConfig, cwd: string): ServerDefinition {
  const common = { name, perSession: false, timeoutMs: 60_000, prefix: true };
  if (server.type === 'http') {
    const { url, headers = {} } = server;
    return { ...common, routing: 'cloud', transport: { kind: 'http', url, headers } };
  }
  const { command, args = [], env = {} } = server;
  const transport = { kind: 'stdio' as const, command, args, env, cwd: server.cwd ?? cwd };
  return { ...common, routing: 'local', transport };
}
