import type { JsonObject } from '../../json.ts';

/** One tool of a capability, as the MCP server behind it names it. */
export interface ToolDescriptor {
  /** The tool's name on its server, such as `transcribe`. */
  key: string;
  /** The name for people, such as `Transcribe Audio`. */
  name: string;
  description: string;
}

/** How to reach an MCP server: started as a process, or by its address. */
export type McpServerConfig =
  | { type?: 'stdio'; command: string; args?: string[]; env?: Record<string, string>; cwd?: string }
  | { type: 'http'; url: string; headers?: Record<string, string> };

/** One capability in an agent's config. */
export interface CapabilityConfig {
  /** The only tools that the agent may use. All, if absent; none, if empty. */
  tools?: string[];
  [key: string]: unknown;
}

/** The config that a resolver receives: the tools validated and always there, the rest as its schema asks. */
export interface ResolvedConfig {
  tools: string[];
  [key: string]: unknown;
}

export interface ResolvedCapability {
  mcpServer: McpServerConfig;
}

/** Turns one capability of an agent's config into an MCP server that offers the allowed tools and no others. */
export interface CapabilityResolver {
  key: string;
  /** Every tool that the capability can offer. */
  tools: ToolDescriptor[];
  /** The JSON Schema of the capability's own config, without `tools`. */
  configSchema?: JsonObject;
  /** Returns null if the capability is not available in this context. */
  resolve(context: ResolverContext, config: ResolvedConfig): ResolvedCapability | null;
}

export interface CapabilityDescriptor {
  key: string;
  tools: ToolDescriptor[];
  configSchema?: JsonObject;
}

export interface ResolvedCapabilities {
  mcpServers: Record<string, McpServerConfig>;
}

/** An agent as the config declares it. */
export interface AgentConfig {
  name: string;
  systemPrompt?: string;
  model?: string;
  /** The engine that runs the model. */
  engine?: 'ai' | 'claude';
  capabilities: Record<string, CapabilityConfig>;
}

/** One conversation of an agent. */
export interface ThreadManifest {
  id: string;
  agent: string;
  createdAt: Date;
}

/** Callbacks by which an engine reports an agent's progress. */
export interface AgentRunnerCallbacks {
  onText?(text: string): void;
  onToolCall?(call: { id: string; name: string; input: unknown }): void;
  onToolResult?(result: { id: string; name: string; output: unknown; isError: boolean }): void;
  onUsage?(usage: { inputTokens: number; outputTokens: number; costUsd?: number }): void;
}

/** The context that every resolver gets. No resolver needs all of it. */
export interface ResolverContext {
  /** The folder that holds what the agent keeps. */
  agentDir: string;
  /** The folder of the config file. */
  workspaceDir: string;
  thread: ThreadManifest;
  callbacks: AgentRunnerCallbacks;
  agent: AgentConfig;
}
