export type { AgentScope, ScopedConfig } from './agent-scope.ts';
export { explainAgents } from './explain-agents.ts';
export { LOG_LEVELS } from './log-levels.ts';
export { type ListName, type Member, partOf } from './member.ts';
export { capabilityId } from './search/capability-entry.ts';
export { toolId } from './search/indexed-tools.ts';
export type { Found, Searcher, SearchQuery, WorkspaceSearch } from './search/workspace-search.ts';
export type { ServerSummary } from './server-summary.ts';
export { Workspace } from './workspace.ts';
