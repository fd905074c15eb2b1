// A small MCP server without dependencies, so that the examples run anywhere: it keeps notes in memory.
import { createInterface } from 'node:readline';

const notes = new Map([['shopping', 'milk, bread, tea']]);
const text = { type: 'string' };
const tools = [
  {
    name: 'read_note',
    description: 'Reads a note by its title.',
    inputSchema: { type: 'object', properties: { title: text }, required: ['title'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'write_note',
    description: 'Writes a note.',
    inputSchema: { type: 'object', properties: { title: text, body: text }, required: ['title', 'body'] },
  },
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: { title, body } }) => {
    if (name === 'write_note') notes.set(title, body);
    const found = notes.get(title);
    const answer = found ?? `There is no note "${title}".`;
    return { content: [{ type: 'text', text: answer }], isError: found === undefined };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const error = { code: -32601, message: `Method not found: ${method}` };
  const outcome = answer ? { result: answer(params) } : { error };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
