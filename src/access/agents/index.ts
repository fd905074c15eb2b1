/** Agents: their capabilities objects, and what these allow. */

export { buildRegistry, builtInResolvers, shadowedCapabilities } from '../resolvers/build-registry.ts';
export { type ServeCommandOptions, serveCommand } from '../resolvers/serve-command.ts';
export {
  AgentCapabilityRegistry,
  type CheckedCapabilities,
  type CheckedCapability,
} from './agent-capability-registry.ts';
export { type AgentRights, OWN_TOOLS_PART } from './agent-rights.ts';
export { isListed } from './built-in-resolver.ts';
export { mistakesOfAgents } from './check-agents.ts';
export { type AgentReport, type CapabilityReport, explainAgent, summarizeAgent } from './explain-agent.ts';
export { agentDirOf, findAgent, workspaceDirOf } from './find-agent.ts';
export { type ResolvedAgent, resolveAgent } from './resolve-agent.ts';
export type * from './types.ts';
