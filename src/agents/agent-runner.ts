import type {
  AgentConfig,
  AgentRunnerCallbacks,
  CapabilityConfig,
  McpServerConfig,
  ResolvedCapabilities,
  ResolverContext,
  ThreadManifest,
} from '../access/agents/index.ts';
import { PmlError } from '../errors.ts';
import type { Engine, EngineOverrides, EngineResult } from './engine/engine.ts';
import type { Threads } from './threads/index.ts';

export interface AgentRunnerOptions {
  registry: {
    resolve(capabilities: Record<string, CapabilityConfig>, context: ResolverContext): ResolvedCapabilities;
  };
  engine: Engine;
  threads: Pick<Threads, 'open'>;
  /** Returns the servers that every run of an agent has, whatever its capabilities. */
  resolveInjections(context: ResolverContext): Record<string, McpServerConfig>;
  /** The folder that holds what the agent keeps. */
  agentDir: string;
  /** The folder of the config file. */
  workspaceDir: string;
}

export interface RunOptions {
  /** The thread to continue; a new one, if absent. */
  thread?: string | undefined;
  overrides?: EngineOverrides;
  callbacks?: AgentRunnerCallbacks;
  abortController?: AbortController;
  /** Called when the thread is known, before anything is said. */
  onThread?: (thread: ThreadManifest) => void;
}

/**
 * Runs an agent: resolves its capabilities, adds the run-time injections, and hands the servers to the engine. It knows
 * nothing of MCP itself.
 */
export class AgentRunner {
  readonly #options: AgentRunnerOptions;

  constructor(options: AgentRunnerOptions) {
    this.#options = options;
  }

  async run(agent: AgentConfig, message: string, options: RunOptions = {}): Promise<EngineResult> {
    const { registry, engine, threads, resolveInjections, agentDir, workspaceDir } = this.#options;
    const { callbacks = {}, abortController = new AbortController(), overrides, onThread } = options;
    const thread = await threads.open(agent.name, options.thread);
    onThread?.(thread);
    const context = { agentDir, workspaceDir, thread, callbacks, agent };
    const { mcpServers } = registry.resolve(agent.capabilities, context);
    const injections = resolveInjections(context);
    assertDisjoint(mcpServers, injections);
    return engine.run(
      message,
      {
        systemPrompt: agent.systemPrompt,
        mcpServers: { ...mcpServers, ...injections },
        ...(agent.model !== undefined && { model: agent.model }),
        ...overrides,
      },
      thread.id,
      callbacks,
      abortController,
    );
  }
}

/** An injection must not silently replace a capability. */
function assertDisjoint(mcpServers: object, injections: object): void {
  const twice = Object.keys(injections).find((key) => Object.hasOwn(mcpServers, key));
  if (twice === undefined) return;
  throw new PmlError(
    'config_invalid',
    `PML adds the server "${twice}" to every agent, so no capability can have its name.`,
    {
      hint: `Rename the server "${twice}" in mcpServers, and in the agent's capabilities.`,
    },
  );
}
