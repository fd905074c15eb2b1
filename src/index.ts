/** The package, for programs that use a gateway, or run agents themselves. */
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
export {
  type CallOptions,
  type CapabilityInfo,
  type CapabilityRegistry,
  type CapabilitySummary,
  type Discovered,
  type ExecuteAnswer,
  type ExecuteRequest,
  type Gateway,
  type GatewayOptions,
  joinGateway,
  type ListFilter,
  type McpTransport,
  type SessionOptions,
  type StartOptions,
  startGateway,
} from './embed/index.ts';
export { type ErrorCode, PmlError } from './errors.ts';
