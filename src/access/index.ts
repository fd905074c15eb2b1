export { agentPrincipal } from './agents/agent-principal.ts';
export { type AgentRights, mayUseAll, mayUseTool } from './agents/agent-rights.ts';
export { toClientTools } from './client-schemas.ts';
export { allowedTools, buildDirectory, type Directory } from './directory.ts';
export { chooseUnlisted, OWN_TOOLS_TOKENS, toolTokens } from './expose-budget.ts';
export type { NameStyle } from './listed-names.ts';
export { foldToolName, listedNames } from './listed-names.ts';
export { type DirectoryEntry, NameIndex } from './name-index.ts';
