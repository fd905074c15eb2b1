import { type Loose, type Protocol, textsIn } from './turn.ts';

/** Chat completions, as opencode uses them. */
export const openaiChat: Protocol = {
  matches: (path) => path.startsWith('/v1/chat/completions'),
  read: ({ messages, tools = [] }) => ({
    context: textsIn(messages.filter(({ role }: Loose) => role !== 'tool')),
    tools: tools.map(({ function: { name, description = '' } }: Loose) => ({ name, description })),
    results: messages
      .filter(({ role }: Loose) => role === 'tool')
      .map(({ content }: Loose) => textsIn(content)),
  }),
  answer: ({ model }, reply, id) => {
    const chunk = (delta: object, finish_reason: string | null) => ({
      data: {
        ...{ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1, model },
        choices: [{ index: 0, delta, finish_reason }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    });
    const call =
      'text' in reply
        ? { content: reply.text }
        : {
            tool_calls: [
              {
                ...{ index: 0, id: `call_${id}`, type: 'function' },
                function: { name: reply.tool.name, arguments: JSON.stringify(reply.input) },
              },
            ],
          };
    const ends = 'text' in reply ? 'stop' : 'tool_calls';
    return [chunk({ role: 'assistant', ...call }, null), chunk({}, ends), { data: '[DONE]' }];
  },
};
