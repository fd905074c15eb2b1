import type { AgentRunnerCallbacks } from '../../access/agents/index.ts';
import type { ModelAccess, ModelPrice } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { chooseModel, type ModelChoice, modelName } from '../../models/index.ts';
import { openModel } from '../../models/open-model.ts';
import type { Threads, ToolMessage, Usage } from '../threads/index.ts';
import { assertMessage } from './assert-message.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { DEFAULTS, type Engine, type EngineOptions, type EngineResult } from './engine.ts';
import { explainFailure } from './explain-failure.ts';
import { McpTools } from './mcp-tools.ts';
import { toModelMessages } from './model-messages.ts';
import { type AskedCall, askModel, type ModelStep } from './model-step.ts';
import { ThreadHistory } from './thread-history.ts';

export interface AiEngineOptions {
  threads: Threads;
  /** The providers' keys and addresses. */
  access: ModelAccess;
  /** Prices of the models, by the name in the config. */
  prices: Readonly<Record<string, ModelPrice>>;
}

/** An engine on the `ai` package: any provider that it knows, and any OpenAI-compatible server. */
export class AiEngine implements Engine {
  readonly #options: AiEngineOptions;

  constructor(options: AiEngineOptions) {
    this.#options = options;
  }

  /** Returns the model that a setting means. Throws if there is none, or its key is missing. */
  chooseModel(setting: string | undefined): ModelChoice {
    return chosen(setting, this.#options.access);
  }

  async run(
    message: string,
    options: EngineOptions,
    sessionId: string,
    callbacks: AgentRunnerCallbacks,
    abortController: AbortController,
  ): Promise<EngineResult> {
    assertMessage(message);
    const choice = this.chooseModel(options.model);
    const price = this.#priceOf(options.model as string) ?? this.#priceOf(modelName(choice));
    const { signal } = abortController;
    let tools: McpTools | undefined;
    try {
      signal.throwIfAborted();
      const history = await ThreadHistory.load(this.#options.threads, sessionId);
      await history.append({ role: 'user', text: message });
      tools = await McpTools.open(options.mcpServers, signal);
      const run = { ...DEFAULTS, ...options, choice, price, history, tools, callbacks, signal };
      return await converse(run);
    } catch (error) {
      if (signal.aborted) throw new PmlError('cancelled', 'The run was cancelled.');
      throw error;
    } finally {
      await tools?.close();
    }
  }

  #priceOf(model: string): ModelPrice | undefined {
    const { prices } = this.#options;
    return Object.hasOwn(prices, model) ? prices[model] : undefined;
  }
}

type Run = typeof DEFAULTS &
  EngineOptions & {
    choice: ModelChoice;
    price: ModelPrice | undefined;
    history: ThreadHistory;
    tools: McpTools;
    callbacks: AgentRunnerCallbacks;
    signal: AbortSignal;
  };

/** Asks the model and calls its tools, in turn, until it asks for no more of them. */
async function converse(run: Run): Promise<EngineResult> {
  const { history, callbacks, choice, maxSteps, timeoutMs, price, signal } = run;
  const model = openModel(choice, { includeUsage: true, fetch: boundedFetch });
  const total: Usage = { inputTokens: 0, outputTokens: 0, ...(price && { costUsd: 0 }) };
  for (let steps = 1; ; steps++) {
    const step = await askModel({
      model,
      system: run.systemPrompt,
      messages: toModelMessages(history.messages()),
      tools: run.tools.offered,
      timeoutMs,
      maxRetries: run.maxRetries,
      signal,
      onText: (text) => callbacks.onText?.(text),
    });
    const usage = priced(step.usage, price);
    await keep(step, history, usage);
    signal.throwIfAborted();
    if (step.failure !== undefined) throw explainFailure(step.failure, choice, timeoutMs);
    add(total, usage);
    callbacks.onUsage?.(usage);
    const result = { text: step.text, steps, usage: total };
    if (step.calls.length === 0) return { ...result, reason: step.finish };
    await Promise.all(step.calls.map((call) => answer(call, run)));
    if (steps >= maxSteps) return { ...result, reason: 'max_steps' };
  }
}

/** Adds what the model said to the thread, even if it was interrupted. */
async function keep({ text, calls }: ModelStep, history: ThreadHistory, usage: Usage): Promise<void> {
  if (text === '' && calls.length === 0) return;
  const asked = calls.map(({ id, name, input }) => ({ id, name, input }));
  await history.append({ role: 'assistant', text, calls: asked }, usage);
}

/** Makes one call of the model, and adds its result to the thread. */
async function answer(call: AskedCall, run: Run): Promise<void> {
  const { callbacks, history, tools } = run;
  const { id, name, input, asked, problem } = call;
  callbacks.onToolCall?.({ id, name: asked, input });
  const result: ToolMessage =
    problem === undefined
      ? await tools.call({ id, name, input }, run.toolTimeoutMs)
      : { role: 'tool', id, name, text: problem, isError: true };
  await history.append(result);
  callbacks.onToolResult?.({ id, name: asked, output: result.text, isError: result.isError });
}

function chosen(model: string | undefined, access: ModelAccess): ModelChoice {
  if (model === undefined)
    throw new PmlError('config_invalid', 'The agent has no model.', {
      hint: 'Set "model" of the agent in pml.json, or give --model: haiku, sonnet, anthropic/MODEL, openai/MODEL, or http://127.0.0.1:11434/v1#MODEL for a local one.',
    });
  const choice = chooseModel(model, access, `The model "${model}"`);
  if (!('why' in choice)) return choice;
  throw new PmlError('config_invalid', choice.why, {
    hint: 'Set the key of the provider (ANTHROPIC_API_KEY, OPENAI_API_KEY), or choose another model with "model" of the agent or --model.',
  });
}

/** Prices are in US dollars for a million tokens. */
function priced(usage: { inputTokens: number; outputTokens: number }, price: ModelPrice | undefined): Usage {
  if (!price) return usage;
  const { inputTokens, outputTokens } = usage;
  return { ...usage, costUsd: (inputTokens * price.input + outputTokens * price.output) / 1_000_000 };
}

function add(total: Usage, { inputTokens, outputTokens, costUsd }: Usage): void {
  total.inputTokens += inputTokens;
  total.outputTokens += outputTokens;
  if (costUsd !== undefined) total.costUsd = (total.costUsd ?? 0) + costUsd;
}
