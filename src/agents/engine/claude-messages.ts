import type { AgentRunnerCallbacks } from '../../access/agents/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { MAX_MESSAGE, type ThreadMessage, type ToolCall } from '../threads/index.ts';
import { resultText } from './result-text.ts';
import type { ThreadHistory } from './thread-history.ts';

/** Reads what Claude's SDK reports, tells the callbacks, and adds it to the thread. */
export class ClaudeMessages {
  /** The last report, which says how the run ended. */
  end: JsonObject | undefined;
  /** The model's last text. */
  text = '';
  readonly #history: ThreadHistory;
  readonly #callbacks: AgentRunnerCallbacks;
  /** One message of the model comes in parts, which share an id. */
  #messageId: unknown;
  #parts = { text: '', calls: [] as ToolCall[] };
  /** The streamed beginning of a part that is not complete. */
  #streamed = '';
  /** The calls that are not answered, by id. */
  readonly #open = new Map<string, string>();

  constructor(history: ThreadHistory, callbacks: AgentRunnerCallbacks) {
    this.#history = history;
    this.#callbacks = callbacks;
  }

  /** True while a tool works, and the model has nothing to say. */
  get isCallingTools(): boolean {
    return this.#open.size > 0;
  }

  async read(report: JsonObject): Promise<void> {
    const { type, message, event } = report;
    if (type === 'stream_event' && isJsonObject(event)) this.#readDelta(event);
    else if (type === 'assistant' && isJsonObject(message)) await this.#readAnswer(message);
    else if (type === 'user' && isJsonObject(message)) await this.#readResults(message);
    else if (type === 'result') this.end = report;
  }

  /** Adds what the model has said so far to the thread. */
  async flush(): Promise<void> {
    const { text, calls } = this.#parts;
    const said = `${text}${this.#streamed}`.slice(0, MAX_MESSAGE);
    this.#parts = { text: '', calls: [] };
    this.#streamed = '';
    if (said !== '') this.text = said;
    if (said === '' && calls.length === 0) return;
    await this.#history.append({ role: 'assistant', text: said, calls });
  }

  #readDelta({ type, delta }: JsonObject): void {
    if (type !== 'content_block_delta' || !isJsonObject(delta) || delta.type !== 'text_delta') return;
    const text = String(delta.text);
    this.#streamed = `${this.#streamed}${text}`.slice(0, MAX_MESSAGE);
    this.#callbacks.onText?.(text);
  }

  async #readAnswer({ id, model, content }: JsonObject): Promise<void> {
    // The SDK says its own errors in the model's place; the last report has them, too.
    if (model === '<synthetic>') return;
    if (id !== this.#messageId) {
      const streamed = this.#streamed;
      this.#streamed = '';
      await this.flush();
      this.#streamed = streamed;
    }
    this.#messageId = id;
    for (const block of blocksOf(content)) {
      if (block.type === 'text') {
        this.#parts.text += String(block.text);
        this.#streamed = '';
      } else if (block.type === 'tool_use') this.#readCall(block);
    }
  }

  #readCall(block: JsonObject): void {
    const call = { id: String(block.id), name: String(block.name).slice(0, 500), input: block.input };
    this.#parts.calls.push(call);
    this.#open.set(call.id, call.name);
    this.#callbacks.onToolCall?.(call);
  }

  async #readResults({ content }: JsonObject): Promise<void> {
    const results = blocksOf(content).filter(({ type }) => type === 'tool_result');
    if (results.length === 0) return;
    await this.flush();
    for (const { tool_use_id: id, content, is_error: isError } of results) {
      const name = this.#open.get(String(id));
      if (name === undefined) continue;
      this.#open.delete(String(id));
      const text = resultText({
        content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      });
      const result = { role: 'tool', id: String(id), name, text, isError: isError === true } as const;
      await this.#history.append(result);
      this.#callbacks.onToolResult?.({ id: result.id, name, output: text, isError: result.isError });
    }
  }
}

/** How much of an earlier conversation the model is told. */
const MAX_TRANSCRIPT = 100_000;

/** Writes a conversation down for a model that did not take part in it. */
export function transcriptOf(messages: readonly ThreadMessage[]): string {
  const lines = messages.map((message) => {
    if (message.role === 'user') return `User: ${message.text}`;
    if (message.role === 'tool')
      return `${message.name} ${message.isError ? 'failed' : 'answered'}: ${message.text}`;
    const calls = message.calls.map(
      ({ name, input }) => `\n(You called ${name} with ${JSON.stringify(input)})`,
    );
    return `You: ${message.text}${calls.join('')}`;
  });
  return lines.join('\n\n').slice(-MAX_TRANSCRIPT).toWellFormed();
}

function blocksOf(content: unknown): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}
