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
export {
  AgentRunner,
  AiEngine,
  ClaudeEngine,
  type Engine,
  type EngineOptions,
  type EngineResult,
  resolveInjections,
} from './agents/index.ts';
export type { ThreadMessage, Threads } from './agents/threads/index.ts';
export { PmlError } from './errors.ts';
