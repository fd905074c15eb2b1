import { type Loose, type Protocol, type Reply, textsIn } from './turn.ts';

/** The Messages API, as Claude Code uses it. */
export const anthropic: Protocol = {
  matches: (path) => path.startsWith('/v1/messages') && !path.includes('count_tokens'),
  read: ({ system, messages, tools = [] }) => {
    const blocks = messages.flatMap(({ content }: Loose) =>
      Array.isArray(content) ? content : [{ text: content }],
    );
    const isResult = ({ type }: Loose) => type === 'tool_result';
    return {
      context: textsIn([system, blocks.filter((block: Loose) => !isResult(block))]),
      tools: tools.map(({ name, description = '' }: Loose) => ({ name, description })),
      results: blocks
        .filter(isResult)
        .map(({ content }: Loose) => textsIn(content).trim() || JSON.stringify(content)),
    };
  },
  answer: (body, reply, id) => {
    const block = blockOf(reply, id);
    const stop = 'text' in reply ? 'end_turn' : 'tool_use';
    const message = {
      ...{ id: `msg_${id}`, type: 'message', role: 'assistant', model: body.model, content: [block] },
      ...{ stop_reason: stop, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
    };
    if (!body.stream) return message;
    const [empty, delta] =
      'text' in reply
        ? [
            { type: 'text', text: '' },
            { type: 'text_delta', text: reply.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) },
          ];
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: empty },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        ...{ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null } },
        usage: { output_tokens: 1 },
      },
      { type: 'message_stop' },
    ].map((data) => ({ event: data.type, data }));
  },
};

function blockOf(reply: Reply, id: number): object {
  if ('text' in reply) return { type: 'text', text: reply.text };
  return { type: 'tool_use', id: `toolu_${id}`, name: reply.tool.name, input: reply.input };
}
