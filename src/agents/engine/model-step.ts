import {
  InvalidToolInputError,
  jsonSchema,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import { messageOf } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import { MAX_CALLS, MAX_INPUT, MAX_MESSAGE, type ToolCall } from '../threads/index.ts';
import type { OfferedTool } from './mcp-tools.ts';

export interface StepRequest {
  model: LanguageModel;
  system: string | undefined;
  messages: ModelMessage[];
  tools: readonly OfferedTool[];
  timeoutMs: number;
  maxRetries: number;
  signal: AbortSignal;
  onText: (text: string) => void;
}

/** A tool call as the model made it. */
export interface AskedCall extends ToolCall {
  /** The name as the model spelt it. */
  asked: string;
  /** Why it cannot be made, in words for the model. */
  problem?: string | undefined;
}

/** The model's output in one step. With a failure, its output up to then. */
export interface ModelStep {
  text: string;
  calls: AskedCall[];
  finish: 'done' | 'length' | 'content_filter';
  usage: { inputTokens: number; outputTokens: number };
  failure?: unknown;
}

/** The model sent nothing for longer than it may. */
export class ModelSilent extends Error {}

/** The model sent more than one message can hold. */
export class ModelTooLong extends Error {}

/** Asks the model once. Never throws. */
export async function askModel(request: StepRequest): Promise<ModelStep> {
  const step = new StepReader(request.onText);
  const silence = new AbortController();
  const fail = () => silence.abort(new ModelSilent());
  let timer = setTimeout(fail, request.timeoutMs);
  try {
    const { stream } = streamText({
      model: request.model,
      ...(request.system !== undefined && { instructions: request.system }),
      messages: request.messages,
      tools: toolSet(request.tools),
      maxRetries: request.maxRetries,
      abortSignal: AbortSignal.any([request.signal, silence.signal]),
      onError: () => {},
    });
    for await (const part of stream) {
      clearTimeout(timer);
      timer = setTimeout(fail, request.timeoutMs);
      step.read(part);
      if (step.isTooLong) {
        silence.abort(new ModelTooLong());
        break;
      }
    }
  } catch (error) {
    step.failure ??= error;
  } finally {
    clearTimeout(timer);
  }
  if (silence.signal.aborted) step.failure = silence.signal.reason;
  return step.result();
}

/** The tools have no `execute`, so that the model's answer comes back after each step. */
function toolSet(tools: readonly OfferedTool[]): ToolSet {
  const entries = tools.map(({ name, description, inputSchema }) => [
    name,
    { description, inputSchema: jsonSchema(inputSchema as never) },
  ]);
  return Object.fromEntries(entries);
}

class StepReader {
  failure: unknown;
  #text = '';
  #length = 0;
  #finish: string | undefined;
  #usage: LanguageModelUsage | undefined;
  readonly #calls: AskedCall[] = [];
  readonly #ids = new Set<string>();
  #inputLength = 0;
  readonly #onText: (text: string) => void;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  get isTooLong(): boolean {
    return this.#length > MAX_MESSAGE || this.#calls.length > MAX_CALLS;
  }

  read(part: TextStreamPart<ToolSet>): void {
    if (part.type === 'text-delta') {
      this.#length += part.text.length;
      if (this.isTooLong) return;
      this.#text += part.text;
      this.#onText(part.text);
    } else if (part.type === 'reasoning-delta') this.#length += part.text.length;
    else if (part.type === 'tool-call') this.#readCall(part);
    else if (part.type === 'error') this.failure ??= part.error;
    else if (part.type === 'finish-step') {
      // Without a finish reason from the provider, the answer broke off.
      this.#finish = part.rawFinishReason === undefined ? undefined : part.finishReason;
      this.#usage = part.usage;
    }
  }

  result(): ModelStep {
    const failure = this.failure ?? (this.#finish === undefined ? new Error('it has no end') : undefined);
    return {
      text: this.#text,
      // Calls of a broken answer may be incomplete.
      calls: failure === undefined ? this.#calls : [],
      finish: finishOf(this.#finish),
      usage: {
        inputTokens: tokenCount(this.#usage?.inputTokens),
        outputTokens: tokenCount(this.#usage?.outputTokens),
      },
      ...(failure !== undefined && { failure }),
    };
  }

  #readCall(part: TextStreamPart<ToolSet> & { type: 'tool-call' }): void {
    const { toolCallId, toolName, input } = part;
    const problem =
      'invalid' in part && part.invalid ? problemOf(part.error, toolName) : this.#inputProblem(input);
    this.#calls.push({
      id: this.#uniqueId(portable(toolCallId)),
      name: portable(toolName),
      asked: toolName.slice(0, 500),
      input: problem === undefined ? input : {},
      problem,
    });
  }

  /** The arguments of a step count together, since one message of the thread holds them. */
  #inputProblem(input: unknown): string | undefined {
    if (!isJsonObject(input)) return 'The arguments must be one JSON object.';
    const { length } = JSON.stringify(input);
    if (this.#inputLength + length > MAX_INPUT)
      return `The arguments are too long (${length} characters; all calls of a step have ${MAX_INPUT}).`;
    this.#inputLength += length;
    return undefined;
  }

  /** Some local models give all calls of a step one id. */
  #uniqueId(id: string): string {
    let unique = id;
    for (let n = 2; this.#ids.has(unique); n++) unique = `${id}_${n}`;
    this.#ids.add(unique);
    return unique;
  }
}

/** Providers may report anything as a count. */
function tokenCount(count: unknown): number {
  return Number.isSafeInteger(count) && (count as number) > 0 ? Math.min(count as number, 1e12) : 0;
}

/** Providers refuse a conversation that holds other letters in a name or id, even if the model made it. */
function portable(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

function problemOf(error: unknown, name: string): string {
  if (InvalidToolInputError.isInstance(error)) {
    const { cause } = (error.cause ?? {}) as { cause?: unknown };
    return `The arguments are not JSON (${messageOf(cause).slice(0, 200)}). Send one JSON object.`;
  }
  return `There is no tool "${name.slice(0, 100)}". Use only the tools that you were given.`;
}

function finishOf(finish: string | undefined): ModelStep['finish'] {
  if (finish === 'length') return 'length';
  return finish === 'content-filter' ? 'content_filter' : 'done';
}
