import type { ModelMessage, ToolModelMessage } from 'ai';
import type { ThreadMessage, ToolMessage } from '../threads/index.ts';

/** Turns the messages of a thread into those of the `ai` package. Results of one step become one message, as providers ask. */
export function toModelMessages(messages: readonly ThreadMessage[]): ModelMessage[] {
  const converted: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'user') converted.push({ role: 'user', content: message.text });
    else if (message.role === 'assistant') converted.push(assistantMessage(message));
    else {
      const last = converted.at(-1);
      if (last?.role === 'tool') last.content.push(resultPart(message));
      else converted.push({ role: 'tool', content: [resultPart(message)] });
    }
  }
  return converted;
}

function assistantMessage({ text, calls }: ThreadMessage & { role: 'assistant' }): ModelMessage {
  return {
    role: 'assistant',
    content: [
      // Providers refuse an empty text.
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ id, name, input }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: input ?? {},
      })),
    ],
  };
}

function resultPart({ id, name, text, isError }: ToolMessage): ToolModelMessage['content'][number] {
  const type = isError ? ('error-text' as const) : ('text' as const);
  return { type: 'tool-result', toolCallId: id, toolName: name, output: { type, value: text } };
}
