import { type Loose, type Protocol, type Reply, textsIn } from './turn.ts';

/** The Responses API, as Codex uses it: the tools of an MCP server are in a namespace. */
export const openaiResponses: Protocol = {
  matches: (path) => path.startsWith('/v1/responses'),
  read: ({ instructions, input, tools = [] }) => {
    const isResult = ({ type }: Loose) => /_output$/.test(type);
    const spaces = tools.filter(({ type }: Loose) => type === 'namespace');
    const plain = tools.filter(({ name, type }: Loose) => type === 'function' && name);
    return {
      context: textsIn([
        instructions,
        input.filter((item: Loose) => !isResult(item)),
        spaces.map(({ description }: Loose) => description),
      ]),
      tools: [
        ...plain.map(({ name, description = '' }: Loose) => ({ name, description })),
        ...spaces.flatMap((space: Loose) =>
          space.tools.map(({ name, description = '' }: Loose) => ({
            ...{ name, description, namespace: space.name },
          })),
        ),
      ],
      results: input.filter(isResult).map(({ output }: Loose) => textsIn(output)),
    };
  },
  answer: (_body, reply, id) => {
    const item = itemOf(reply, id);
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const response = { id: `resp_${id}`, object: 'response', output: [item], usage };
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed' } },
    ].map((data) => ({ event: data.type, data }));
  },
};

function itemOf(reply: Reply, id: number): object {
  if ('text' in reply) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content };
  }
  const { name, namespace } = reply.tool;
  return {
    ...{ type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, status: 'completed' },
    ...{ name, ...(namespace && { namespace }), arguments: JSON.stringify(reply.input) },
  };
}
