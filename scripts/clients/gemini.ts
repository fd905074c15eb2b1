import { type Loose, type Protocol, textsIn } from './turn.ts';

/** generateContent, as Gemini CLI uses it. */
export const gemini: Protocol = {
  matches: (path) => /:(streamG|g)enerateContent/.test(path),
  read: ({ systemInstruction, contents, tools = [] }) => {
    const parts = contents.flatMap((content: Loose) => content.parts);
    const isResult = (part: Loose) => part.functionResponse !== undefined;
    return {
      context: textsIn([systemInstruction, parts.filter((part: Loose) => !isResult(part))]),
      tools: tools
        .flatMap((tool: Loose) => tool.functionDeclarations ?? [])
        .map(({ name, description = '' }: Loose) => ({ name, description })),
      results: parts.filter(isResult).map(({ functionResponse: { response } }: Loose) => textsIn(response)),
    };
  },
  answer: (_body, reply, _id) => {
    const part =
      'text' in reply ? { text: reply.text } : { functionCall: { name: reply.tool.name, args: reply.input } };
    return [
      {
        data: {
          candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        },
      },
    ];
  },
};
