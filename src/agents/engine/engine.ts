import type { AgentRunnerCallbacks, McpServerConfig } from '../../access/agents/index.ts';
import type { Usage } from '../threads/index.ts';

/** Settings of one run that override those of the agent and the defaults. */
export interface EngineOverrides {
  /** The model, as in `agents.<name>.model`. */
  model?: string;
  /** How often the model may be asked for one message. */
  maxSteps?: number;
  /** How long the model may stay silent. */
  timeoutMs?: number;
  /** How long one tool call may take. */
  toolTimeoutMs?: number;
  /** How often a request is sent again that the provider refuses for the moment. */
  maxRetries?: number;
}

export const DEFAULTS = { maxSteps: 20, timeoutMs: 120_000, toolTimeoutMs: 600_000, maxRetries: 2 };

export interface EngineOptions extends EngineOverrides {
  systemPrompt?: string | undefined;
  /** The servers whose tools the model may use, by name. They offer the allowed tools and no others. */
  mcpServers: Readonly<Record<string, McpServerConfig>>;
}

export interface EngineResult {
  /** The model's last text. */
  text: string;
  /** `done`, unless the model was stopped: by the limit of steps, of its own output, or its provider's filter. */
  reason: 'done' | 'max_steps' | 'length' | 'content_filter';
  steps: number;
  usage: Usage;
}

/** Runs a model with tools until it has answered one message. */
export interface Engine {
  /**
   * Continues the session, which is a thread, and adds the new messages to it. Throws a `PmlError` that says what to
   * do; the thread then keeps what was said before the failure.
   */
  run(
    message: string,
    options: EngineOptions,
    sessionId: string,
    callbacks: AgentRunnerCallbacks,
    abortController: AbortController,
  ): Promise<EngineResult>;
}
