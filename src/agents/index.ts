export { AgentRunner, type AgentRunnerOptions, type RunOptions } from './agent-runner.ts';
export { AiEngine, type AiEngineOptions } from './engine/ai-engine.ts';
export { ClaudeEngine, type ClaudeEngineOptions } from './engine/claude-engine.ts';
export type { Engine, EngineOptions, EngineOverrides, EngineResult } from './engine/engine.ts';
export { resolveInjections } from './resolve-injections.ts';
