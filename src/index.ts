/** The package, for programs that build their own runners of agents. */
export {
  AgentCapabilityRegistry,
  type AgentConfig,
  type AgentRunnerCallbacks,
  builtInResolvers,
  type CapabilityConfig,
  type CapabilityDescriptor,
  type CapabilityResolver,
  type McpServerConfig,
  type ResolvedCapabilities,
  type ResolvedCapability,
  type ResolvedConfig,
  type ResolverContext,
  type ThreadManifest,
  type ToolDescriptor,
} from './access/agents/index.ts';
export { AgentRunner, type Engine, resolveInjections } from './agents/index.ts';
export { PmlError } from './errors.ts';
