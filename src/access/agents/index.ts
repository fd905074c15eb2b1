/** Agents: their capabilities objects, and what these allow. */
export {
  AgentCapabilityRegistry,
  type CheckedCapabilities,
  type CheckedCapability,
} from './agent-capability-registry.ts';
export type { AgentRights } from './agent-rights.ts';
export { buildRegistry, builtInResolvers, shadowedCapabilities } from './build-registry.ts';
export { agentDirOf, findAgent } from './find-agent.ts';
export { agentProblems, type ResolvedAgent, resolveAgent } from './resolve-agent.ts';
export type * from './types.ts';
