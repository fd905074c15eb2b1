import type { ThreadMessage, ToolMessage } from './message.ts';

/**
 * Answers the tool calls of a thread that have no result, because a run was cancelled or killed in between: providers refuse
 * a conversation with an open call. Drops results that nothing asked for.
 */
export function completeHistory(messages: readonly ThreadMessage[]): ThreadMessage[] {
  const complete: ThreadMessage[] = [];
  let open = new Map<string, ToolMessage>();
  const close = () => {
    complete.push(...open.values());
    open = new Map();
  };
  for (const message of messages) {
    if (message.role !== 'tool') {
      close();
      if (message.role === 'assistant')
        open = new Map(message.calls.map((call) => [call.id, unanswered(call)]));
      if (message.role === 'user' || message.text !== '' || message.calls.length > 0) complete.push(message);
    } else if (open.delete(message.id)) complete.push(message);
  }
  close();
  return complete;
}

function unanswered({ id, name }: { id: string; name: string }): ToolMessage {
  const text = 'The run ended before this call was answered. It may or may not have taken effect.';
  return { role: 'tool', id, name, text, isError: true };
}
