import type { AgentRunnerCallbacks } from '../../access/agents/index.ts';
import { messageOf, PmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { Redactor } from '../../secrets/index.ts';
import type { Threads, Usage } from '../threads/index.ts';
import { assertMessage } from './assert-message.ts';
import { ClaudeMessages, transcriptOf } from './claude-messages.ts';
import { DEFAULTS, type Engine, type EngineOptions, type EngineResult } from './engine.ts';
import { type ClaudeSdk, loadClaudeSdk } from './find-claude-sdk.ts';
import { ThreadHistory } from './thread-history.ts';

export interface ClaudeEngineOptions {
  threads: Threads;
  /** PML's home, in which the optional package may be installed. */
  home: string;
  /** The environment of Claude's process: its key or login, and how it reaches the network. */
  env: Readonly<Record<string, string>>;
}

/**
 * An engine on Claude's own SDK, an optional package. Its built-in tools and the user's settings are switched off, so that
 * the agent has its servers and nothing else. Threads stay in the store: Claude keeps no session of its own.
 */
export class ClaudeEngine implements Engine {
  readonly #options: ClaudeEngineOptions;

  constructor(options: ClaudeEngineOptions) {
    this.#options = options;
  }

  /** Returns the name by which Claude knows the model; undefined for Claude's default model. */
  chooseModel(setting: string | undefined): string | undefined {
    const name = setting?.replace(/^anthropic\//, '');
    if (name === undefined || !/[:/]/.test(name)) return name;
    throw new PmlError('config_invalid', `The engine "claude" cannot run the model "${setting}".`, {
      hint: 'Choose a model of Anthropic, such as sonnet, or the engine "ai".',
    });
  }

  async run(
    message: string,
    options: EngineOptions,
    sessionId: string,
    callbacks: AgentRunnerCallbacks,
    abortController: AbortController,
  ): Promise<EngineResult> {
    assertMessage(message);
    const { timeoutMs, toolTimeoutMs } = { ...DEFAULTS, ...options };
    const { signal } = abortController;
    const sdk = await loadClaudeSdk(this.#options.home);
    const history = await ThreadHistory.load(this.#options.threads, sessionId);
    const settings = this.#settingsOf(options, history);
    await history.append({ role: 'user', text: message });
    const messages = new ClaudeMessages(history, callbacks);
    const silence = new AbortController();
    const limit = () => (messages.isCallingTools ? toolTimeoutMs : timeoutMs);
    try {
      await readAll({ sdk, prompt: message, settings, messages, signal, silence, limit });
    } catch (error) {
      if (signal.aborted) throw new PmlError('cancelled', 'The run was cancelled.');
      if (silence.signal.aborted) throw failed(`Claude did nothing for ${limit() / 1000} s.`);
      // The SDK throws after a last report that is no success; the report says more.
      if (!messages.end) throw failed(`Claude failed: ${this.#quote(messageOf(error))}`);
    } finally {
      await messages.flush();
    }
    return this.#resultOf(messages, callbacks);
  }

  #settingsOf({ systemPrompt, mcpServers, ...options }: EngineOptions, history: ThreadHistory): JsonObject {
    const model = this.chooseModel(options.model);
    const earlier = transcriptOf(history.messages());
    const prompts = [systemPrompt, earlier && `The conversation so far:\n\n${earlier}`];
    return {
      systemPrompt: prompts.filter((text) => text).join('\n\n'),
      mcpServers,
      ...(model !== undefined && { model }),
      maxTurns: options.maxSteps ?? DEFAULTS.maxSteps,
      // The servers offer what is allowed and no more, so all of their tools may be used, and nothing else may.
      allowedTools: Object.keys(mcpServers).map((name) => `mcp__${name.replace(/[^A-Za-z0-9_-]/g, '_')}`),
      permissionMode: 'dontAsk',
      tools: [],
      settingSources: [],
      strictMcpConfig: true,
      persistSession: false,
      includePartialMessages: true,
      env: {
        ...this.#options.env,
        ...(options.maxRetries !== undefined && { CLAUDE_CODE_MAX_RETRIES: String(options.maxRetries) }),
      },
    };
  }

  #resultOf({ end, text }: ClaudeMessages, callbacks: AgentRunnerCallbacks): EngineResult {
    if (!end) throw failed('Claude ended without an answer.');
    const { subtype, is_error: isError, num_turns: turns, result, errors } = end;
    const usage = usageOf(end);
    callbacks.onUsage?.(usage);
    const ended = { text, steps: Number(turns) || 0, usage };
    if (subtype === 'error_max_turns') return { ...ended, reason: 'max_steps' };
    if (subtype !== 'success' || isError === true)
      throw failed(`Claude failed: ${this.#quote(String(result ?? errors ?? subtype))}`);
    return { ...ended, reason: 'done' };
  }

  /** Claude may quote the key that its provider refused. */
  #quote(text: string): string {
    const { ANTHROPIC_API_KEY: key } = this.#options.env;
    return new Redactor(key === undefined ? [] : [key]).text(text, 300);
  }
}

interface Reading {
  sdk: ClaudeSdk;
  prompt: string;
  settings: JsonObject;
  messages: ClaudeMessages;
  signal: AbortSignal;
  /** Aborted when Claude does nothing for longer than the limit. */
  silence: AbortController;
  limit: () => number;
}

async function readAll({ sdk, prompt, settings, messages, signal, silence, limit }: Reading): Promise<void> {
  signal.throwIfAborted();
  const abortController = new AbortController();
  const stop = () => abortController.abort();
  for (const each of [signal, silence.signal]) each.addEventListener('abort', stop, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), limit());
  };
  wait();
  try {
    for await (const report of sdk.query({ prompt, options: { ...settings, abortController } })) {
      await messages.read(report);
      wait();
    }
    for (const each of [signal, silence.signal]) each.throwIfAborted();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function usageOf({ usage }: JsonObject): Usage {
  const counts = isJsonObject(usage) ? usage : {};
  const sum = (...keys: string[]) => keys.reduce((total, key) => total + (Number(counts[key]) || 0), 0);
  return {
    inputTokens: sum('input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'),
    outputTokens: sum('output_tokens'),
  };
}

function failed(message: string): PmlError {
  return new PmlError('model_failed', message, {
    hint: 'Check the key (ANTHROPIC_API_KEY) or the login of Claude, and try again, or use the engine "ai".',
  });
}
